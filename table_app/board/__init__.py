"""The board: its driver, its session, its time, orientation, set-up and calibration."""
