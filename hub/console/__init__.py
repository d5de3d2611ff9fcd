"""The operator's console: who may enter, and the pages from which an event is run."""
