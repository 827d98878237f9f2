"""The processor time of the whole container, with every process of the user's code."""

from __future__ import annotations

from pathlib import Path

CGROUP = Path("/sys/fs/cgroup")


def read_cpu_seconds(cgroup: Path = CGROUP) -> float | None:
    """None when the container cannot read its own cgroup."""
    try:
        return read_microseconds(cgroup) / 1e6
    except (OSError, ValueError):
        return None


def read_microseconds(cgroup: Path) -> int:
    try:
        words = (cgroup / "cpu.stat").read_text().split()
        return int(words[words.index("usage_usec") + 1])
    except FileNotFoundError:
        # Version 1 of cgroups counts in nanoseconds.
        return int((cgroup / "cpuacct" / "cpuacct.usage").read_text()) // 1000
