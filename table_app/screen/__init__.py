"""The screen: a process that draws, its channel, its scenes and its touches."""
