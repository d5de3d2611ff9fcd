"""The game of Othello and its law: pure values and functions, no input or output, no clock, no randomness."""
