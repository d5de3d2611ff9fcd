"""What scenes are drawn with: widgets, fonts, theme, catalogue."""
