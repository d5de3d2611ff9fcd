"""Tables of spreadsheets: CSV and `.xlsx`."""
