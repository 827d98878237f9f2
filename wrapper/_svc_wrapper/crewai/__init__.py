"""Crews, single agents and flows of crewai as agents."""
