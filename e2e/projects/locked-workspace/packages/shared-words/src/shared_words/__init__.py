from importlib.metadata import version

from humanize import intcomma


def signed(number: int) -> str:
    """Names the versions that Python finds."""
    return f"{intcomma(number)} (shared-words {version('shared-words')}, packaging {version('packaging')})"
