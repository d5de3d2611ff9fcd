"""The report of a measurement: figures with their aims, the list of benches, the page."""
