"""Values that the console's pages show, computed from the record. Pure, no HTTP."""
