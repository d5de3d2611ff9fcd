"""Other versions of the program: fetched, tried, accepted or given up."""
