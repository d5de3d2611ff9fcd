"""A witness of records: a small server that sees that a record is only continued, and says so under its heads."""
