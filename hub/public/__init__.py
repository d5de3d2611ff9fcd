"""The public half of the site: pages for phones, the projector, what is printed, the pages for the world outside."""
