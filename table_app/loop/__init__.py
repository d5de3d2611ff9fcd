"""The one loop of the table: events in, a view out."""
