"""What the service keeps of crews and flows."""
