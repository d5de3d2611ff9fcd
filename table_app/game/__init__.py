"""One game at the table: inputs put in order, the board as it is known, the referee fed."""
