"""What both ends of a board's cable need: frames and messages."""
