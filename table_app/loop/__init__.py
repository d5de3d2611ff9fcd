"""The one loop of the table: takes events, makes the view."""
