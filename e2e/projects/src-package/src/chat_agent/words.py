def signature(release: str) -> str:
    return f"({release})"
