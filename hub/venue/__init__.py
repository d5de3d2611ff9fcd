"""A venue's own authority: certificates, and the folder that a broker and its tables are made from."""
