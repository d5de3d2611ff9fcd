"""The ground of every other room, neither Othello nor the link: messages and faults, reading, settings, words."""
