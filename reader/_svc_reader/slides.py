from collections.abc import Iterator
from typing import BinaryIO

from pptx import Presentation
from pptx.shapes.base import BaseShape

from .markdown import Markdown
from .office import require_office
from .pages import require_pages

# What the library says for a presentation without properties.
unnamed = "PowerPoint Presentation"


def read_pptx(file: BinaryIO, markdown: Markdown) -> None:
    require_office(file)
    presentation = Presentation(file)
    slides = presentation.slides
    markdown.pages = require_pages(len(slides), "slides")
    title = presentation.core_properties.title
    markdown.title = "" if title == unnamed else title
    for slide in slides:
        title = slide.shapes.title
        if title is not None:
            markdown.heading(2, title.text_frame.text)
        for shape in flat(slide.shapes):
            if title is None or shape.shape_id != title.shape_id:
                add_shape(shape, markdown)
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            markdown.add(slide.notes_slide.notes_text_frame.text)


def add_shape(shape: BaseShape, markdown: Markdown) -> None:
    if getattr(shape, "has_table", False):
        markdown.table([cell.text for cell in row.cells] for row in shape.table.rows)
    elif shape.has_text_frame:
        markdown.add("\n".join(paragraph.text for paragraph in shape.text_frame.paragraphs))


def flat(shapes: object) -> Iterator[BaseShape]:
    """Groups can be nested."""
    waiting = [iter(shapes)]
    while waiting:
        shape = next(waiting[-1], None)
        if shape is None:
            waiting.pop()
        elif hasattr(shape, "shapes"):
            waiting.append(iter(shape.shapes))
        else:
            yield shape
