// The MCP server that every measured gateway calls: two tools with a constant answer, by the official SDK over streamable HTTP, without sessions. Argument: the port.
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { createMcpHandler, McpServer } from '../../server/src/testing/servers/mcp-server.ts';
import { answer, slow_ms, tools } from './tools.ts';

const { fetch } = createMcpHandler(() => {
  const made = new McpServer({ name: 'bench', version: '1.0.0' }, { capabilities: { tools: {} } });
  made.server.setRequestHandler('tools/list', () => ({ tools: [...tools] }));
  made.server.setRequestHandler('tools/call', async ({ params }) => {
    if (params.name === 'slow') await sleep(slow_ms);
    return { content: [{ type: 'text', text: answer }] };
  });
  return made;
});

createServer((incoming, outgoing) => {
  void (async () => {
    const { method = 'GET' } = incoming;
    const headers = new Headers(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
    const body = method === 'POST' ? { body: new Uint8Array(await buffer(incoming)) } : {};
    const answered = await fetch(new Request('http://bench/mcp', { method, headers, ...body }));
    outgoing.writeHead(answered.status, Object.fromEntries(answered.headers));
    if (answered.body !== null) for await (const part of answered.body) outgoing.write(part);
    outgoing.end();
  })().catch(() => incoming.destroy()); // a gateway that stops leaves its requests open
}).listen(Number(process.argv[2]), '127.0.0.1');
