"""The commands of `flagfall-hub` beside `run`, one module each; all fail with `CommandError`."""
