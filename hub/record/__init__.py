"""The record: events in the ledger, the state folded from them, corrections, the store that writes."""
