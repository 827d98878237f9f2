// A service with an agent that may call one hosted MCP server, `side`, and runs of it.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { sql } from '../../ground/database/sql.ts';
import type { HostedPlugs } from '../../agents/tools/hosted/plugs.ts';
import type { TestAppSettings } from '../test-app.ts';
import { pinServer } from './pin-server.ts';
import { doorStage, type DoorStage } from './door-stage.ts';

export interface HostedStage extends DoorStage {
  /** A run of this user, and a client in it. */
  caller(email: string): Promise<HostedCaller>;
}

export interface HostedCaller {
  call(tool: string, text?: string, signal?: AbortSignal): Promise<{ text: string; isError: boolean; code: unknown }>;
  close(): Promise<void>;
}

interface Settings {
  /** Instead of the container engine. */
  hosted?: HostedPlugs;
  /** Of the server. */
  config?: object;
  secrets?: Record<string, string>;
  app?: TestAppSettings['config'];
  onLog?: (line: string) => void;
}

export async function hostedStage({
  hosted,
  config = {},
  secrets = {},
  app = {},
  onLog,
}: Settings): Promise<HostedStage> {
  const stage = await doorStage({
    project: { name: 'keeper', yaml: 'mcp_servers:\n  - mcp/side\n' },
    config: app,
    ...(hosted && { hosted }),
    ...(onLog && { onLog }),
    pins: async (service, ada) => {
      const { client } = ada;
      for (const [name, value] of Object.entries(secrets))
        await client.call('secrets.set', { body: { name, team: 'ml', value } });
      await client.call('registry.create', {
        params: { kind: 'mcp-server' },
        body: {
          name: 'side',
          team: 'ml',
          visibility: 'team',
          config: { package: 'pypi:side==1.0', ...config },
        },
      });
      return [await pinServer(service, ada, 'side')];
    },
  });
  return {
    ...stage,
    caller: async (email) => {
      const row = await stage.app.db.one<{ id: string }>(sql`select id from app_user where email = ${email}`);
      const caller_id = row?.id ?? '';
      const run_id = await stage.storeRun({ caller_id });
      const client = new Client({ name: 'agent', version: '1.0.0' });
      const headers = { authorization: `Bearer ${stage.key}`, 'x-svc-run': stage.tokenOf({ id: run_id, caller_id }) };
      const address = new URL(`${stage.door}/mcp/side`);
      await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
      return {
        call: async (name, text = '', signal) => {
          const given = { name, arguments: { text } };
          const { content, isError, _meta } = await client.callTool(given, signal && { signal });
          const [part] = content;
          const said = part?.type === 'text' ? part.text : '';
          return { text: said, isError: isError === true, code: _meta?.['gantry/problem'] };
        },
        close: async () => {
          await client.close();
          await stage.endRun(run_id);
        },
      };
    },
  };
}
