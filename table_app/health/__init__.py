"""Whether this device is fit: checks, the clock's rate, throttling, the watchdog."""
