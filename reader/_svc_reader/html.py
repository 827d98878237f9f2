"""HTML as Markdown: what a reader of the page sees. Scripts, styles and hidden parts are left out."""

import re
from collections.abc import Iterator
from typing import BinaryIO

from lxml import etree

from .markdown import Markdown, one_line
from .refusal import Refused

unseen = {"script", "style", "template", "noscript", "head", "iframe", "object", "embed", "svg", "math", "canvas"}
unseen |= {"audio", "video", "select", "datalist", "textarea", "input", "button"}
hiding = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
inline = {"a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "del", "dfn", "em", "font", "i", "img", "ins", "kbd"}
inline |= {"label", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u"}
inline |= {"var", "wbr"}
headings = {f"h{level}": level for level in range(1, 7)}
deepest_list = 8
# No page has it. The line ends of a page itself are spaces.
line_break = "\ue000"


def read_html(file: BinaryIO, markdown: Markdown) -> None:
    add_html(file.read(), None, markdown)


def add_html(content: bytes, encoding: str | None, markdown: Markdown) -> None:
    # Comments stay in the tree, where they hold the text that follows them.
    parser = etree.HTMLParser(encoding=encoding or named_encoding(content), no_network=True, huge_tree=True)
    root = etree.fromstring(content, parser) if content.strip() else None
    if any("depth" in error.message.lower() for error in parser.error_log):
        raise Refused("its parts are nested too deeply")
    if root is None:
        return
    title = root.findtext("head/title")
    if title and not markdown.title:
        markdown.title = title
    Page(markdown).walk(root)


def named_encoding(content: bytes) -> str | None:
    """HTML without a name of its encoding is UTF-8 today. libxml2 takes Latin-1 then."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")) or re.search(rb"charset\s*=", content[:4096], re.IGNORECASE):
        return None
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return "windows-1252"
    return "utf-8"


class Page:
    def __init__(self, markdown: Markdown) -> None:
        self.markdown = markdown
        self.text: list[str] = []
        self.lists: list[int | None] = []
        """The number of the last item; None for a list without numbers."""
        self.item = ""
        self.tables: list[list[list[str]]] = []
        self.cells = 0

    def walk(self, root: etree._Element) -> None:
        walker = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
        skipped = None
        for event, element in walker:
            if event == "start":
                if is_unseen(element) or element.tag == "pre":
                    skipped = element
                    walker.skip_subtree()
                    if not is_unseen(element):
                        self.fence(element)
                    continue
                self.start(element.tag)
                self.text.append(element.text or "")
                continue
            if event == "end" and element is not skipped:
                self.end(element.tag)
            self.text.append(element.tail or "" if element is not root else "")
        self.flush()

    def start(self, tag: str) -> None:
        if tag in inline:
            return
        if tag == "br":
            self.text.append(line_break)
            return
        self.flush()
        if tag in ("ul", "ol"):
            self.lists.append(0 if tag == "ol" else None)
        elif tag == "li":
            self.item = self.next_item()
        elif tag == "table":
            self.tables.append([])
        elif tag == "tr" and self.tables:
            self.tables[-1].append([])
        elif tag in ("td", "th") and self.tables:
            if not self.tables[-1]:
                self.tables[-1].append([])
            self.tables[-1][-1].append("")
            self.cells += 1

    def end(self, tag: str) -> None:
        if tag in inline or tag == "br":
            return
        if tag in headings and not self.cells:
            self.markdown.heading(headings[tag], self.taken())
            return
        self.flush()
        if tag in ("ul", "ol") and self.lists:
            self.lists.pop()
        elif tag == "li":
            self.item = ""
        elif tag in ("td", "th") and self.cells:
            self.cells -= 1
        elif tag == "table" and self.tables:
            self.end_table(self.tables.pop())

    def end_table(self, rows: list[list[str]]) -> None:
        if not self.tables:
            self.markdown.table(rows)
        elif self.tables[-1] and self.tables[-1][-1]:
            self.add_to_cell(" ".join(cell for row in rows for cell in row))

    def next_item(self) -> str:
        if not self.lists:
            return "- "
        indent = "  " * min(len(self.lists) - 1, deepest_list)
        number = self.lists[-1]
        if number is None:
            return f"{indent}- "
        self.lists[-1] = number + 1
        return f"{indent}{number + 1}. "

    def taken(self) -> str:
        text = "".join(self.text)
        self.text.clear()
        return text

    def flush(self) -> None:
        lines = [one_line(line) for line in self.taken().split(line_break)]
        text = "\n".join(line for line in lines if line)
        if not text:
            return
        if self.add_to_cell(text):
            return
        if self.lists:
            self.markdown.add((self.item or "  " * min(len(self.lists), deepest_list)) + text, "list")
            self.item = ""
        else:
            self.markdown.add(text)

    def fence(self, element: etree._Element) -> None:
        """Code keeps its lines."""
        self.flush()
        code = "".join(seen_text(element))
        if code.strip() and not self.add_to_cell(one_line(code)):
            ticks = max([2, *(len(run) for run in re.findall("`+", code))]) + 1
            self.markdown.add(f"{'`' * ticks}\n{code.strip(chr(10))}\n{'`' * ticks}")

    def add_to_cell(self, text: str) -> bool:
        """False outside of tables."""
        if not (self.cells and self.tables and self.tables[-1] and self.tables[-1][-1]):
            return False
        self.tables[-1][-1][-1] += " " + text
        return True


def is_unseen(element: etree._Element) -> bool:
    return element.tag in unseen or "hidden" in element.attrib or bool(hiding.search(element.get("style", "")))


def seen_text(root: etree._Element) -> Iterator[str]:
    walker = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
    for event, element in walker:
        if event == "start" and is_unseen(element):
            walker.skip_subtree()
        elif event == "start":
            yield "\n" if element.tag == "br" else element.text or ""
        elif element is not root:
            yield element.tail or ""
