"""What players see, one module each scene."""
