"""How a measurement is told: figures with their aims, the list of benches, the page."""
