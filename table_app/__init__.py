"""The appliance at one table: buttons, board, screen, sequencer and journal around one referee."""
