"""Benches of what reads a board: the sensor board over its physical model, the eye before drawn scenes."""
