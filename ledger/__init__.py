"""The append-only record that tables and hub stand on."""
