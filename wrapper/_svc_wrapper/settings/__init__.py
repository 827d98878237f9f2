"""The settings and the secrets, from the environment and from files."""
