"""The minimum-cost perfect matching and its proof."""
