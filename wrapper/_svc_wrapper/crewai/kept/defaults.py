"""What crewai takes where the user's code names nothing: the persistence of a flow, the storage of a memory, the person
who is asked, and the embedder.

Set before the user's code is imported, because `@persist` and `Memory()` choose at once. A file of the container would
end with it.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ...after_import import after_import
from .records import ServiceRecords
from .words import WordVectors

records = ServiceRecords()
words = WordVectors()


def set_defaults() -> None:
    after_import("crewai.flow.persistence.factory", set_persistence)
    after_import("crewai.flow.flow_config", set_feedback)
    after_import("crewai.memory.storage.factory", set_storage)
    after_import("crewai.memory.unified_memory", set_embedder)


def set_persistence(module: ModuleType) -> None:
    module.set_flow_persistence_factory(persistence)


def persistence() -> Any:
    # Imported late: its base class is crewai's.
    from .persistence import ServiceFlowPersistence

    return ServiceFlowPersistence()


def set_feedback(module: ModuleType) -> None:
    module.flow_config.hitl_provider = LateFeedback()


class LateFeedback:
    """crewai's form of a provider. The rest is imported with the first question."""

    def request_feedback(self, context: Any, flow: Any) -> str:
        from .feedback import ServiceFeedback

        return ServiceFeedback().request_feedback(context, flow)


def set_storage(module: ModuleType) -> None:
    # Each of crewai's own storages is in a file: `lancedb`, `qdrant-edge`, and a path.
    module.set_memory_storage_factory(lambda spec: records)


def set_embedder(module: ModuleType) -> None:
    """Without an embedder of the user crewai asks OpenAI. A storage of the user keeps that."""
    memory = module.Memory
    asks = memory._embedder.fget

    def embedder(self: Any) -> Any:
        is_ours = isinstance(self._storage, ServiceRecords) and self.embedder is None
        return words if is_ours else asks(self)

    memory._embedder = property(embedder)
