"""The health of this device while it runs: the clock's rate, throttling, the watchdog."""
