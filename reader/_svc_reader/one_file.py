"""Reads one file, within limits, and writes the answer: a line of JSON, and the text."""

import io
import json
import os
import resource

from lxml import etree

from .html import read_html
from .mail import read_mail
from .markdown import Markdown
from .pdf import read_pdf
from .refusal import Refused
from .sheets import read_csv, read_xlsx
from .slides import read_pptx
from .word import read_docx

answer_bytes = 11_000_000

readers = {
    "csv": (read_csv, "a table in CSV"),
    "docx": (read_docx, "a Word document"),
    "html": (read_html, "a page in HTML"),
    "mail": (read_mail, "a mail"),
    "pdf": (read_pdf, "a PDF"),
    "pptx": (read_pptx, "a PowerPoint presentation"),
    "xlsx": (read_xlsx, "an Excel workbook"),
}


def set_limits(memory_bytes: int, seconds: int) -> None:
    for what, limit in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_FSIZE, answer_bytes),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(what, (limit, limit))
    # At equal limits the kernel sends SIGKILL, as for memory. SIGXCPU says that it was the time.
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))


def read_file(kind: str, source: int, answer: int) -> None:
    read, name = readers[kind]
    markdown = Markdown()
    try:
        with os.fdopen(source, "rb") as file:
            content = file.read()
        read(io.BytesIO(content), markdown)
        head, text = markdown.head(), markdown.text()
    except Refused as refused:
        head, text = {"problem": str(refused)}, b""
    except MemoryError:
        raise
    except RecursionError:
        head, text = {"problem": "its parts are nested too deeply"}, b""
    except Exception as error:
        if getattr(error, "code", None) == etree.ErrorTypes.ERR_NO_MEMORY:
            raise MemoryError from error
        # A broken file can raise any exception of the libraries.
        head, text = {"problem": f"it is damaged, or it is not {name}"}, b""
    with os.fdopen(answer, "wb") as file:
        file.write(json.dumps(head).encode() + b"\n" + text)
