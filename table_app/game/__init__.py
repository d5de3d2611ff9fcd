"""One game at the table: its inputs in order, the state of the board, the calls of the referee."""
