"""The reading of what sensors show of a game. Nothing here puts anything on record: judging does."""
