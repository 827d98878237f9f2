"""The container of Office's files: a zip archive, which may be a bomb."""

import zipfile
from typing import BinaryIO

from .refusal import Refused

most_unpacked_bytes = 200_000_000
most_entries = 10_000
# The older formats, and newer files that are encrypted.
compound_file = bytes.fromhex("d0cf11e0a1b11ae1")


def require_office(file: BinaryIO) -> None:
    """Python's zipfile gives at most as many bytes of an entry as its directory says, so their sum is a limit."""
    start = file.read(len(compound_file))
    file.seek(0)
    if start == compound_file:
        raise Refused("it is locked with a password, or in a format of Office before 2007: save it in the newer one")
    with zipfile.ZipFile(file) as archive:
        entries = archive.infolist()
        if len(entries) > most_entries:
            raise Refused(f"it has more than {most_entries:,} parts")
        if sum(entry.file_size for entry in entries) > most_unpacked_bytes:
            raise Refused(f"it has more than {most_unpacked_bytes // 1_000_000} MB when it is unpacked")
    file.seek(0)
