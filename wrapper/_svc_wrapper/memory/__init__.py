"""What the service keeps for an agent between its calls, and the way to it."""
