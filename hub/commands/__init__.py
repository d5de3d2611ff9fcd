"""What an operator may have done, whoever asks for it: the table of commands, and a module of handlers by subject."""
