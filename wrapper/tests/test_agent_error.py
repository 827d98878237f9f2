from __future__ import annotations

import errno

from _svc_wrapper.agent_error import agent_error


def raised(cause: BaseException) -> str:
    return agent_error("run", cause).detail


def test_a_write_into_the_project_folder_says_where_files_can_be_written() -> None:
    read_only = OSError(errno.EROFS, "Read-only file system", "output")
    wrapped = RuntimeError("the step failed")
    wrapped.__cause__ = read_only
    for cause in (read_only, wrapped):
        assert raised(cause).endswith("write files to /tmp)")
    assert "/tmp" not in raised(OSError(errno.ENOENT, "No such file", "output"))
