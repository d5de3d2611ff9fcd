"""The pages of the judge's panel: one class and one file each."""
