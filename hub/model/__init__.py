"""The model: a tournament, its players and its games as frozen, typed values. It imports no room of the hub."""
