"""A graph that calls the gateway in all the ways that user code has. Each request says whose it is."""

import asyncio
import os
import threading
from concurrent.futures import ThreadPoolExecutor

import aiohttp
import httpx
import httpx2
import requests
import urllib3
from langchain_openai import ChatOpenAI
from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

GATEWAY = os.environ["SVC_SERVICE_URL"]
OTHER = os.environ["OTHER_URL"]
SUBAGENT = f"{GATEWAY}/agents/clerk"

model = ChatOpenAI(model="m")
pool = ThreadPoolExecutor(2)
left_behind: set[asyncio.Task] = set()
go_on = asyncio.Event()


class State(TypedDict, total=False):
    do: str
    name: str


async def async_branch(state: State) -> dict:
    if state["do"] == "ask":
        await asyncio.gather(*(model.ainvoke(f"name={state['name']};") for _ in range(2)))
    return {}


def sync_branch(state: State) -> dict:
    if state["do"] == "ask":
        model.invoke(f"name={state['name']};")
        model.batch([f"name={state['name']};"] * 2)
        for _ in model.stream(f"name={state['name']};"):
            pass
    return {}


async def last(state: State) -> dict:
    name = state["name"]
    if state["do"] == "ask":
        async for _ in model.astream(f"name={name};"):
            pass
    if state["do"] == "use every client":
        for base in (GATEWAY, OTHER, f"{GATEWAY}/redirect?to={GATEWAY}", f"{GATEWAY}/redirect?to={OTHER}"):
            await use_clients(base, name)
    if state["do"] == "call a subagent":
        await use_clients(SUBAGENT, name)
        await use_clients(f"{SUBAGENT}/redirect?to={OTHER}", name)
    if state["do"] == "bring a credential":
        await asyncio.to_thread(httpx.post, SUBAGENT, headers={"authorization": "Bearer own"})
    if state["do"] == "forge":
        await send_own_headers({"X-Svc-Run": "forged"})
        await send_own_headers({"x-svc-run": "forged"})
    if state["do"] == "trace":
        await send_own_headers({"traceparent": f"00-{name}-1111111111111111-01"})
    if state["do"] == "use threads":
        use_threads()
    if state["do"] == "leave a task":
        left_behind.add(asyncio.create_task(call_later()))
    if state["do"] == "let it go on":
        go_on.set()
        await asyncio.gather(*left_behind)
    return {}


async def call_later() -> None:
    await go_on.wait()
    async with httpx.AsyncClient() as client:
        await client.post(f"{GATEWAY}/left-behind")


async def send_own_headers(headers: dict) -> None:
    async with httpx.AsyncClient() as client:
        await client.post(f"{GATEWAY}/httpx", headers=headers)
    await asyncio.to_thread(urllib3.request, "POST", f"{GATEWAY}/urllib3", headers=headers)
    async with aiohttp.ClientSession() as session, session.post(f"{GATEWAY}/aiohttp", headers=headers):
        pass


def use_threads() -> None:
    thread = threading.Thread(target=httpx.post, args=(f"{GATEWAY}/thread",))
    thread.start()
    thread.join()
    pool.submit(httpx.post, f"{GATEWAY}/pool").result()


async def use_clients(base: str, name: str) -> None:
    for module in (httpx, httpx2):
        url = f"{base}/{module.__name__}"
        await asyncio.to_thread(module.post, url, content=name, follow_redirects=True)
        async with module.AsyncClient(follow_redirects=True) as client:
            await client.post(url, content=name)
    await asyncio.to_thread(requests.post, f"{base}/requests", data=name, timeout=10)
    urllib3.PoolManager().request("POST", f"{base}/urllib3", body=name)
    async with aiohttp.ClientSession() as session, session.post(f"{base}/aiohttp", data=name):
        pass


builder = StateGraph(State)
builder.add_node(async_branch)
builder.add_node(sync_branch)
builder.add_node(last)
builder.add_edge(START, "async_branch")
builder.add_edge(START, "sync_branch")
builder.add_edge(["async_branch", "sync_branch"], "last")
graph = builder.compile()
