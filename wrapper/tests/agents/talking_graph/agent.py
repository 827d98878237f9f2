"""A conversation with a model that says what it was given. It knows nothing of a memory config."""

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.graph import START, MessagesState, StateGraph


class Parrot(BaseChatModel):
    def _generate(self, messages, *_, **__):
        given = " | ".join(f"{message.type} {message.content}" for message in messages)
        return ChatResult(generations=[ChatGeneration(message=AIMessage(given))])

    @property
    def _llm_type(self):
        return "parrot"


model = Parrot()


async def talk(state: MessagesState) -> dict:
    return {"messages": [await model.ainvoke([("system", "be kind"), *state["messages"]])]}


graph = StateGraph(MessagesState).add_node(talk).add_edge(START, "talk").compile()
