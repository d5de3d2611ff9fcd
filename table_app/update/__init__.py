"""Other versions of the program: fetched, tried, proved or given up."""
