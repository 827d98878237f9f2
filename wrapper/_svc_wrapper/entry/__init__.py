"""The entry of the user's code, imported and read."""
