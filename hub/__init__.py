"""The tournament hub: a record (the fold of its ledger), pairings, rankings, files and pages."""
