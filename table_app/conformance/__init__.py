"""The conformance test of a board: what it must do on its cable (docs/board-protocol.md), tried and told in words."""
