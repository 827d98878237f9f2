from __future__ import annotations

import asyncio

from checkpoint_conformance import conformance
from memory_door import KEY, MemoryDoor


def test_the_saver_has_all_capabilities_of_langgraphs_kit() -> None:
    with MemoryDoor() as door:
        report = asyncio.run(conformance(door.url, KEY, door.open_run()))
    assert {name: result.failures for name, result in report.results.items() if result.failures} == {}
    assert len(report.results) == 8
    assert all(result.detected and result.passed for result in report.results.values())
    assert report.results["put"].tests_passed > 5
