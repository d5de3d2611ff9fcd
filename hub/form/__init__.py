"""The decoded form of a tournament, as files, entries and requests have it: read into the model, and checked."""
