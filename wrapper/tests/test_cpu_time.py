from __future__ import annotations

from pathlib import Path

from _svc_wrapper.process.cpu_time import read_cpu_seconds
from wrapper_process import AGENTS, WrapperProcess


def test_the_processor_time_of_the_cgroup_is_read_in_seconds(tmp_path: Path) -> None:
    (tmp_path / "cpu.stat").write_text("usage_usec 1500000\nuser_usec 1000000\nsystem_usec 500000\n")
    assert read_cpu_seconds(tmp_path) == 1.5


def test_version_1_of_cgroups_is_read_too(tmp_path: Path) -> None:
    (tmp_path / "cpuacct").mkdir()
    (tmp_path / "cpuacct" / "cpuacct.usage").write_text("2250000000\n")
    assert read_cpu_seconds(tmp_path) == 2.25


def test_an_unreadable_cgroup_has_no_processor_time(tmp_path: Path) -> None:
    assert read_cpu_seconds(tmp_path) is None
    (tmp_path / "cpu.stat").write_text("nr_periods 0\n")
    assert read_cpu_seconds(tmp_path) is None


def test_health_reports_the_processor_time_exactly_when_it_can_be_read() -> None:
    with WrapperProcess(AGENTS / "waiter") as wrapper:
        before, health, after = read_cpu_seconds(), wrapper.ready().health(), read_cpu_seconds()
    assert ("cpu_seconds" in health) == (before is not None)
    if before is not None and after is not None:
        assert before <= health["cpu_seconds"] <= after
