"""Tables. Of a formula, the value counts that Excel has stored; nothing is calculated."""

import csv
import datetime
import io
from collections.abc import Iterator
from typing import BinaryIO

from openpyxl import load_workbook

from .markdown import Markdown
from .office import require_office
from .plain import decode


def read_xlsx(file: BinaryIO, markdown: Markdown) -> None:
    require_office(file)
    book = load_workbook(file, read_only=True, data_only=True, keep_links=False)
    for sheet in book.worksheets:
        if sheet.sheet_state != "visible":
            continue
        # A file can claim any size of a sheet.
        sheet.reset_dimensions()
        markdown.heading(2, sheet.title)
        markdown.table([in_words(value) for value in row] for row in sheet.iter_rows(values_only=True))


def in_words(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return value.date().isoformat()
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ")
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


separators = ",;\t|"


def read_csv(file: BinaryIO, markdown: Markdown) -> None:
    text = decode(file.read())
    first_line = text[:10_000].split("\n", 1)[0]
    separator = max(separators, key=first_line.count)
    csv.field_size_limit(len(text) + 1)
    markdown.table(rows(text, separator))


def rows(text: str, separator: str) -> Iterator[list[str]]:
    return iter(csv.reader(io.StringIO(text.replace("\0", ""), newline=""), delimiter=separator))
