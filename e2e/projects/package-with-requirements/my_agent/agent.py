import os

from langgraph.graph import START, StateGraph

from my_agent.utils.state import State


def greet(state: State) -> dict:
    return {"answer": f"{os.environ['GREETING']}, {state['name']}"}


graph = StateGraph(State).add_node(greet).add_edge(START, "greet").compile()
