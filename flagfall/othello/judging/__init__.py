"""How each input is judged: what the rows of `flagfall.othello.referee` do, and what they are made of."""
