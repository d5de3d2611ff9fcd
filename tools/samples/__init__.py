"""An invented tournament and sample screens of a table, for pictures and tests."""
