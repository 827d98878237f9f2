"""Calls tools with the official SDK for Python. Prints the text of each answer.

Its words are the address of the service, a token, and the calls as JSON: [[server, tool, arguments], ...].
"""

import asyncio
import json
import sys

import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

url, token, calls = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])


async def main() -> None:
    answers: list[str] = []
    async with httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}, timeout=120) as http:
        for server, tool, arguments in calls:
            async with Client(streamable_http_client(f"{url}/mcp/{server}", http_client=http)) as client:
                result = await client.call_tool(tool, arguments)
            answers.append(" ".join(getattr(part, "text", "") for part in result.content))
    print(json.dumps({"answers": answers}))


asyncio.run(main())
