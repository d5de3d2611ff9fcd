"""Pages that players hold in their hands: their own pages."""
