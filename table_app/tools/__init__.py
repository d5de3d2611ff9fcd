"""Commands beside the clock: replay of a game file, and the judge's card."""
