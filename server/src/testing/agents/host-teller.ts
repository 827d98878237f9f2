// An agent that says where it runs: it answers with the name of its host, which on a container engine is the beginning of the container's id.
import type { Client } from '@gantry/contract/client/client.ts';
import type { Deployment } from '@gantry/contract/agents/deploy.ts';

/** Its agent.py. It waits for the given seconds first. */
export const hostTeller = `
import socket
import time
from typing_extensions import TypedDict
from langgraph.graph import StateGraph, START, END
class State(TypedDict, total=False):
    at: str
    seconds: float
def where(state):
    time.sleep(state.get("seconds", 0))
    return {"at": socket.gethostname()}
graph = StateGraph(State).add_node("where", where).add_edge(START, "where").add_edge("where", END).compile()
`;

/** The name of its host. Another answer, with its status, when it gives none. */
export async function askHost(client: Client, name: string, seconds = 0): Promise<string> {
  const body = Buffer.from(JSON.stringify({ input: { at: '', seconds } }));
  const answer = await client.call('invoke.call', { params: { name }, body });
  const text = await answer.text();
  return /"at":\s*"([0-9a-f]{12})"/.exec(text)?.[1] ?? `${answer.status} ${text}`;
}

/** The end of a deploy or an operation. */
export async function followed(client: Client, { id }: { id: string }): Promise<Deployment> {
  for await (const _ of await client.call('deployments.events', { params: { id } }));
  return await client.call('deployments.show', { params: { id } });
}
