from .refusal import Refused

most_pages = 2000


def require_pages(count: int, name: str) -> int:
    if count > most_pages:
        raise Refused(f"it has {count:,} {name}, and at most {most_pages:,} are read")
    return count
