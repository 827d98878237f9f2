// The compared gateways of tools, each in its newest version and with its own defaults.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { environment } from '../../e2e/config.ts';
import { freePort } from '../../server/src/testing/servers/free-port.ts';
import { startProgram, type Program } from '../gateway/program.ts';
import { installPython, versionOf } from '../load/python-peer.ts';
import type { ToolWay } from './way.ts';

interface Place {
  directory: string;
  /** The address of the MCP server. */
  upstream: string;
}

export interface ToolPeer {
  name: string;
  way: ToolWay;
  stop(): Promise<void>;
}

export async function startFastmcp({ directory, upstream }: Place): Promise<ToolPeer> {
  const bin = await installPython('fastmcp', ['fastmcp']);
  const port = await freePort();
  const program = await startProgram({
    argv: [join(bin, 'python'), join(import.meta.dirname, 'proxy.py'), upstream, String(port)],
    env: environment(),
    port,
    log_file: join(directory, 'fastmcp.log'),
  });
  const name = `fastmcp ${await versionOf(bin, 'fastmcp')}, its proxy`;
  return peerOf(name, program, { path: '/mcp', headers: {} });
}

const master_key = 'sk-bench-master';

/** Without its database, so without budgets and its log: the master key calls. */
export async function startLitellm({ directory, upstream }: Place): Promise<ToolPeer> {
  const bin = await installPython('litellm', ['litellm[proxy]', 'prisma']);
  const config_file = join(directory, 'litellm-tools.json');
  const mcp_servers = { city: { url: upstream, transport: 'http' } };
  await writeFile(config_file, JSON.stringify({ model_list: [], mcp_servers, general_settings: { master_key } })); // JSON is YAML
  const port = await freePort();
  const program = await startProgram({
    argv: [join(bin, 'litellm'), '--config', config_file, '--host', '127.0.0.1', '--port', String(port)],
    env: {
      ...environment(),
      PATH: `${bin}:${environment().PATH ?? ''}`,
      LITELLM_LOCAL_MODEL_COST_MAP: 'True',
    },
    port,
    ready: '/health/liveliness',
    log_file: join(directory, 'litellm-tools.log'),
  });
  const headers = { 'x-litellm-api-key': `Bearer ${master_key}` };
  const name = `LiteLLM ${await versionOf(bin, 'litellm')}, without keys and budgets`;
  return peerOf(name, program, { path: '/mcp/', headers });
}

function peerOf(
  name: string,
  program: Program,
  { path, headers }: { path: string; headers: Record<string, string> },
): ToolPeer {
  const way = {
    url: program.url + path,
    headers: async () => await Promise.resolve(headers),
    pids: [program.pid],
  };
  return { name, way, stop: async () => await program.stop() };
}
