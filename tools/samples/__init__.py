"""A made-up tournament and screens of a table: what pictures are taken of, and tests look at."""
