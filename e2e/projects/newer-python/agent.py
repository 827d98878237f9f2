import platform

from langgraph.func import entrypoint


@entrypoint()
def graph(words: dict) -> dict:
    return {"answer": f"{words['word']} on {platform.python_version()}"}
