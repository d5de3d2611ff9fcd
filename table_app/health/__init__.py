"""The health of this device: checks, the clock's rate, throttling, the watchdog."""
