"""The subcommands of `flagfall-hub` other than `run`, one module each; all fail with `CommandError`."""
