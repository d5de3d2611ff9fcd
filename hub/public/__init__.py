"""The public half of the site: pages for phones, the hall's projector, what is printed, what goes to the world outside."""
