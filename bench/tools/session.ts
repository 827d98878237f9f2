// A client of the protocol as bare requests, because the measured time is that of the other side.
import { given, type ToolName } from './tools.ts';

/** What a client sends with each call after it has said hello. */
export interface Session {
  headers: Record<string, string>;
  bodyOf: (tool: ToolName) => string;
}

const newest = '2025-11-25';

/** Says hello and finds the tools, whose names a gateway may prefix. */
export async function openSession(url: string, own: Record<string, string>): Promise<Session> {
  const headers: Record<string, string> = { ...own, accept: 'application/json, text/event-stream' };
  const ask = async (body: object) => {
    const sent = { ...headers, 'content-type': 'application/json' };
    const signal = AbortSignal.timeout(60_000);
    const answer = await fetch(url, { method: 'POST', headers: sent, body: JSON.stringify(body), signal });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text}`);
    return { answer, text };
  };
  const clientInfo = { name: 'bench', version: '1.0.0' };
  const params = { protocolVersion: newest, capabilities: {}, clientInfo };
  const hello = await ask({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  headers['mcp-protocol-version'] = /"protocolVersion":\s*"([^"]+)"/.exec(hello.text)?.[1] ?? newest;
  const session_id = hello.answer.headers.get('mcp-session-id');
  if (session_id !== null) headers['mcp-session-id'] = session_id;
  await ask({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const { text: listed } = await ask({ jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} });
  return {
    headers,
    bodyOf: (tool) => {
      const name = new RegExp(`"name":\\s*"([^"]*${tool})"`).exec(listed)?.[1];
      if (name === undefined) throw new Error(`${url} lists no tool ${tool}: ${listed}`);
      const call = { name, arguments: given };
      return JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'tools/call', params: call });
    },
  };
}
