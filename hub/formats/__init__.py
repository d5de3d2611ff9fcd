"""Files in and out: the tournament file and the formats of the Othello world."""
