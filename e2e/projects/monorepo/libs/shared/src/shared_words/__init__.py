from importlib.metadata import version


def signed(text: str) -> str:
    return f"{text} (shared-words {version('shared-words')})"
