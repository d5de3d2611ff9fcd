"""Commands beside the clock: the check-up of a device, replay of a game file, and the judge's card."""
