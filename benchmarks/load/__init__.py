"""The load of the benches: tables, a venue, a display that nobody sees."""
