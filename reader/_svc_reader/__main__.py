"""Reads each file of /tmp/in/files in a process of its own, and prints a line for each: number, end, answer in base64.

A file that takes over its process must neither see the other files nor write their answers. So this process never
reads a file or an answer. The processes are forks of it, have only their own file open, and cannot look into it.
Another program, base64, reads the answers.
"""

import contextlib
import ctypes
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time

from .one_file import read_file, set_limits

most_answer_bytes = 11_000_000


def main() -> None:
    with open("/tmp/in/work.json") as file:
        work = json.load(file)
    kinds, limits = work["kinds"], work["limits"]
    sources = [os.open(f"/tmp/in/files/{number}", os.O_RDONLY) for number in range(len(kinds))]
    shutil.rmtree("/tmp/in")
    # The first file could leave a module there for the next one.
    sys.path[:] = [path for path in sys.path if not path.startswith("/tmp")]
    hide_memory()
    adopt_orphans()
    say("ready")
    begun = time.monotonic()
    printed = 0
    for number, kind in enumerate(kinds):
        answer = os.memfd_create("answer")
        ended = run(kind, sources[number], answer, limits)
        size = os.fstat(answer).st_size
        # The container has a deadline. The files that are left go into another one.
        is_over = printed + size > most_answer_bytes or time.monotonic() - begun > 4 * limits["seconds"]
        if number > 0 and is_over:
            break
        printed += size
        say(f"{number} {ended} ", end="")
        os.lseek(answer, 0, os.SEEK_SET)
        subprocess.run(["/usr/bin/base64", "-w0"], stdin=answer, check=True)
        say("")
        os.close(answer)
        os.close(sources[number])


def run(kind: str, source: int, answer: int, limits: dict[str, int]) -> str:
    """Returns how it ended: done, time, memory or crash."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            keep_open(source, answer)
            set_limits(limits["memory_bytes"], limits["seconds"])
            read_file(kind, source, answer)
            code = 0
        except MemoryError:
            code = 2
        finally:
            os._exit(code)
    process = os.pidfd_open(child)
    is_over, _, _ = select.select([process], [], [], 2 * limits["seconds"])
    os.close(process)
    # Also what it started. The next file is read when all of it is gone. The first process of the container and this
    # one are spared.
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            break
    return how_it_ended(status, bool(is_over))


def how_it_ended(status: int, is_over: bool) -> str:
    code = os.waitstatus_to_exitcode(status)
    if not is_over or code == -signal.SIGXCPU:
        return "time"
    # The kernel kills what fills the memory of the container.
    if code in (2, -signal.SIGKILL):
        return "memory"
    return "done" if code == 0 else "crash"


def keep_open(*wanted: int) -> None:
    null = os.open("/dev/null", os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    last = 3
    for descriptor in sorted(wanted):
        os.closerange(last, descriptor)
        last = descriptor + 1
    os.closerange(last, os.sysconf("SC_OPEN_MAX"))


def hide_memory() -> None:
    """PR_SET_DUMPABLE 0: no other process of this user reads its memory or its open files. Forks have it too."""
    set_of_process(4, 0)


def adopt_orphans() -> None:
    """PR_SET_CHILD_SUBREAPER 1: what a file's process started becomes a child of this one, which waits for its end."""
    set_of_process(36, 1)


def set_of_process(option: int, value: int) -> None:
    if ctypes.CDLL(None).prctl(option, value, 0, 0, 0) != 0:
        raise OSError("prctl")


def say(text: str, end: str = "\n") -> None:
    print(text, end=end, flush=True)


main()
