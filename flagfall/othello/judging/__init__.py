"""The judging of each input: the handlers that the rows of `flagfall.othello.referee` name, and their parts."""
