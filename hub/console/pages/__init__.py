"""The console's pages, one module each: functions from a request to a page, or to an operation and an address."""
