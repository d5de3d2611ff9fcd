"""What the console's pages show, made of the record: pure values, no HTTP."""
