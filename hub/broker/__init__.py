"""The broker that tables speak through: mosquitto as the hub's child process, and its files."""
