"""The console's pages, one module each: a request in, a page or an order out."""
