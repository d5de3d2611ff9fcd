"""The law, a file a subject, in the order of the texts' chapters: start, move and touch, errors, flags, end and score,
director."""
