"""What the benches load a program with: tables, a venue, a display that nobody sees."""
