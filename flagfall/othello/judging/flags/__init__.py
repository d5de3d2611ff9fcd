"""Fallen flags: one file a way in which a flag takes effect (woc-2019 IV.6, usoa 6, jof J15)."""
