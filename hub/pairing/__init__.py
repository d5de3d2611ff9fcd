"""The pairing: round robins, the first draw, and Swiss rounds proved to be the best."""
