import re
from typing import BinaryIO

import pypdfium2
import pypdfium2.raw

from .markdown import Markdown
from .pages import require_pages
from .refusal import Refused

# How PDFium writes a hyphen at the end of a line.
broken_word = re.compile("[\ufffe\x02]\r?\n?")


def read_pdf(file: BinaryIO, markdown: Markdown) -> None:
    try:
        document = pypdfium2.PdfDocument(file.read())
    except pypdfium2.PdfiumError as error:
        if error.err_code == pypdfium2.raw.FPDF_ERR_PASSWORD:
            raise Refused("it is locked with a password") from error
        raise
    markdown.pages = require_pages(len(document), "pages")
    markdown.title = document.get_metadata_value("Title")
    for number in range(len(document)):
        page = document[number]
        text = page.get_textpage()
        markdown.add(broken_word.sub("", text.get_text_range()))
        text.close()
        page.close()
    if not markdown.text():
        raise Refused("its pages have no text, as those of a scan")
