"""What every other room stands on, neither Othello nor the link: messages and faults, reading, settings, words."""
