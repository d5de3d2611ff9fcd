"""The board's protocol, for both ends of its cable: frames and messages."""
