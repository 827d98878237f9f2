"""A conversation with a model of its own, which says what it was given. What is to be kept goes into the store."""

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.base import BaseStore


class Parrot(BaseChatModel):
    def _generate(self, messages, *_, **__):
        given = " ".join(message.content for message in messages)
        return ChatResult(generations=[ChatGeneration(message=AIMessage(f"[{given}]"))])

    @property
    def _llm_type(self):
        return "parrot"


model = Parrot()


def talk(state: MessagesState, *, store: BaseStore) -> dict:
    words = state["messages"][-1].content
    if words.startswith("keep "):
        store.put(("notes",), words, {"text": words})
    if words == "notes":
        return {"messages": [AIMessage(", ".join(item.key for item in store.search(("notes",))))]}
    return {"messages": [model.invoke([("system", "be kind"), *state["messages"]])]}


graph = StateGraph(MessagesState).add_node(talk).add_edge(START, "talk").compile()
