"""Proofs of results that anybody can check: the hub's key, signed heads of the record, and what a proof holds."""
