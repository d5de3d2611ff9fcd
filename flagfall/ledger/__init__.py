"""The append-only record: a hash chain of entries, in one of several stores."""
