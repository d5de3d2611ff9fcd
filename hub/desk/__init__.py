"""The director's desk: who may sit at it, what its forms say, and what it keeps between two requests."""
