"""The sheets over the players' face: one class and one file each, with what it shows and what a touch does."""
