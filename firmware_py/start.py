"""Copied to the Pico as its main.py."""

from firmware_py.main import run

run()
