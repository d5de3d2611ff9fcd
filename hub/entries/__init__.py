"""Who may enter a tournament: the rulebooks' entry rules, and what a list of entries breaks."""
