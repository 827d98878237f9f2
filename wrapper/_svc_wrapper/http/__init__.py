"""The routes, and how a request is read, proven and answered."""
