"""Everything on GPIO: buttons, lamps, the speech button, and virtual pins."""
