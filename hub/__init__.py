"""The tournament: a fold of the ledger, its pairings, rankings, files and pages."""
