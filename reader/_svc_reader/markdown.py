"""The text of a document as it grows, and what it may be at most."""

from collections.abc import Iterable

from .refusal import Refused

most_text_bytes = 10_000_000
most_title_characters = 300

# PostgreSQL stores no NUL, and the others say nothing.
control_characters = {code: None for code in (*range(9), 11, 12, *range(14, 32), 127)} | {13: "\n"}


def clean(text: str) -> str:
    return text.replace("\r\n", "\n").translate(control_characters)


def one_line(text: str) -> str:
    return " ".join(clean(text).split())


class Markdown:
    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._bytes = 0
        self._last = ""
        self.title = ""
        self.pages: int | None = None

    def add(self, block: str, group: str = "") -> None:
        """Blocks of one group, such as the rows of a table, follow each other without an empty line."""
        block = clean(block).strip("\n")
        if block.strip() == "":
            return
        apart = "" if not self._parts else "\n" if group and group == self._last else "\n\n"
        part = (apart + block).encode("utf-8", "replace")
        self._last = group
        self._bytes += len(part)
        if self._bytes > most_text_bytes:
            raise Refused(f"it has more than {most_text_bytes // 1_000_000} MB of text")
        self._parts.append(part)

    def heading(self, level: int, text: str) -> None:
        if one_line(text):
            self.add(f"{'#' * level} {one_line(text)}")

    def table(self, rows: Iterable[Iterable[str]]) -> None:
        """The first row is the head. Shorter and longer rows stay as they are."""
        self._last = ""
        is_first = True
        for row in rows:
            cells = [one_line(cell).replace("|", "\\|") for cell in row]
            while cells and cells[-1] == "":
                cells.pop()
            if not cells:
                continue
            self.add(f"| {' | '.join(cells)} |", "table")
            if is_first:
                self.add(f"|{' --- |' * len(cells)}", "table")
            is_first = False
        self._last = ""

    def head(self) -> dict[str, object]:
        title = one_line(self.title)[:most_title_characters]
        known = {"title": title or None, "pages": self.pages}
        return {name: value for name, value in known.items() if value is not None}

    def text(self) -> bytes:
        return b"".join(self._parts)
