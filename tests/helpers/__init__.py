"""Tools that tests of several rooms share: real programs to start, values to begin with, ways to wait."""
