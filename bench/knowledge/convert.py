"""Files to Markdown by markitdown alone: `convert.py <folder>` prints for each kind of file the seconds that all of it took, as JSON."""

import json
import sys
import time
from pathlib import Path

from markitdown import MarkItDown

converter = MarkItDown()
seconds = {}
for kind in sorted(Path(sys.argv[1]).iterdir()):
    files = sorted(kind.iterdir())
    began = time.perf_counter()
    for file in files:
        if not converter.convert(str(file)).text_content.strip():
            raise SystemExit(f"{file.name} has no text")
    seconds[kind.name] = time.perf_counter() - began
print(json.dumps(seconds))
