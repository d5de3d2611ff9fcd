"""Files of the pairing program Papp."""
