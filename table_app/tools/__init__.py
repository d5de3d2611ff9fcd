"""Commands beside the clock: replay of a game file, the judge's card, sample screens."""
