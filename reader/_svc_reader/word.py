from typing import BinaryIO

import mammoth

from .html import add_html
from .markdown import Markdown
from .office import require_office


def read_docx(file: BinaryIO, markdown: Markdown) -> None:
    require_office(file)
    pictures = mammoth.images.img_element(lambda _: {})
    html = mammoth.convert_to_html(file, convert_image=pictures, include_embedded_style_map=False).value
    if html:
        add_html(html.encode(), "utf-8", markdown)
