"""The tools with which scenes are drawn: widgets, fonts, theme, catalogue."""
