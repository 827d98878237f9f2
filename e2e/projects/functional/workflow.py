from langgraph.func import entrypoint, task


@task
def shout(word: str) -> str:
    return word.upper()


@entrypoint()
def work(words: dict) -> dict:
    return {"answer": " ".join(shout(word).result() for word in words["words"])}
