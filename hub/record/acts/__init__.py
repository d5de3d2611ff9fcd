"""The acts: what somebody may have done at an event, each in one class."""
