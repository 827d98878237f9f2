import email
import email.policy
from email.message import EmailMessage
from typing import BinaryIO

from .html import add_html
from .markdown import Markdown, one_line
from .plain import decode
from .refusal import Refused

shown = ("From", "To", "Cc", "Date")


def read_mail(file: BinaryIO, markdown: Markdown) -> None:
    """Attachments are named and not read: each would be a document of its own."""
    mail = email.message_from_binary_file(file, policy=email.policy.default)
    if not any(name in mail for name in ("From", "Subject", "Date", "Received")):
        raise Refused("it is not a mail: it has no sender, subject and date")
    markdown.title = str(mail.get("Subject", ""))
    markdown.heading(1, markdown.title)
    for name in shown:
        if name in mail:
            markdown.add(f"{name}: {one_line(str(mail[name]))}", "head")
    files = [one_line(part.get_filename() or "") for part in mail.iter_attachments()] if mail.is_multipart() else []
    if any(files):
        markdown.add(f"Attachments: {', '.join(filter(None, files))}", "head")
    body = mail.get_body(preferencelist=("plain", "html"))
    if body is None:
        return
    if body.get_content_subtype() == "html":
        add_html(text_of(body).encode("utf-8", "replace"), "utf-8", markdown)
    else:
        markdown.add(text_of(body))


def text_of(part: EmailMessage) -> str:
    try:
        return part.get_content()
    except LookupError:
        # Of an encoding that nobody knows.
        return decode(part.get_payload(decode=True) or b"")
