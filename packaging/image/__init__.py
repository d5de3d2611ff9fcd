"""The image of a card: built by `make image` from Debian's packages and PyPI's, run by `make vm-test`."""
