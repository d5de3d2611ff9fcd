"""One game on the public pages: its replay, its time chart, its files."""
