"""What the sensors show of a game, read. Nothing here puts anything on record: judging does."""
