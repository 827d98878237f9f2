// A service with an agent that may call one MCP server, `city`, and a run of it at a time.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Link } from '../../ground/run-token.ts';
import { sql } from '../../ground/database/sql.ts';
import { mcpServerOfTest, type McpServerOfTest, type OfferedTool } from '../servers/mcp-server.ts';
import type { TestUser } from '../test-app.ts';
import { pinServer } from './pin-server.ts';
import { doorStage, type DoorSettings, type DoorStage } from './door-stage.ts';

interface ToolStageSettings {
  tools: OfferedTool[];
  /** Of the server, beside its address. */
  config?: object;
  /** Of the entry of the server in agent.yaml. */
  yaml?: string;
  /** Of the service. */
  service?: NonNullable<DoorSettings['config']>;
  /** Before the list of the server is read. */
  prepare?: (client: TestUser['client'], upstream: McpServerOfTest) => Promise<void>;
}

export interface ToolStage extends DoorStage {
  upstream: McpServerOfTest;
  ada_id: string;
  /** Of the open run. */
  readonly run_id: string;
  /** Opens a run of this caller, and a client in it. */
  begin: (caller_id?: string, chain?: readonly Link[]) => Promise<void>;
  end: () => Promise<void>;
  call: (tool: string, args: Record<string, unknown>) => Promise<ToolAnswer>;
}

interface ToolAnswer {
  text: string;
  isError: boolean;
  code: unknown;
}

export async function toolStage({
  tools,
  config = {},
  yaml = '',
  service,
  prepare,
}: ToolStageSettings): Promise<ToolStage> {
  const upstream = await mcpServerOfTest(tools);
  const stage = await doorStage({
    project: { name: 'keeper', yaml: `mcp_servers:\n  - ref: mcp/city\n${yaml}` },
    config: { outbound_private_hosts: ['127.0.0.1'], ...service },
    pins: async (app, ada) => {
      const { client } = ada;
      const whole = { transport: 'streamable-http', url: upstream.url, ...config } as never; // what the test gives
      await client.call('registry.create', {
        params: { kind: 'mcp-server' },
        body: { name: 'city', team: 'ml', visibility: 'team', config: whole },
      });
      await prepare?.(client, upstream);
      return [await pinServer(app, ada, 'city')];
    },
  });
  const row = await stage.app.db.one<{ id: string }>(sql`select id from app_user where email = ${stage.ada.email}`);
  const ada_id = row?.id ?? '';
  let run_id = '';
  let client: Client | undefined;
  return {
    ...stage,
    upstream,
    ada_id,
    get run_id() {
      return run_id;
    },
    begin: async (caller_id = ada_id, chain = []) => {
      upstream.called = [];
      run_id = await stage.storeRun({ caller_id });
      client = new Client({ name: 'agent', version: '1.0.0' });
      const headers = {
        authorization: `Bearer ${stage.key}`,
        'x-svc-run': stage.tokenOf({ id: run_id, caller_id, chain }),
      };
      const address = new URL(`${stage.door}/mcp/city`);
      await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
    },
    end: async () => {
      await client?.close();
      await stage.endRun(run_id);
    },
    call: async (name, args) => {
      if (client === undefined) throw new Error('no run has begun');
      const { content, isError, _meta } = await client.callTool({ name, arguments: args });
      const [part] = content;
      return {
        text: part?.type === 'text' ? part.text : '',
        isError: isError === true,
        code: _meta?.['gantry/problem'],
      };
    },
    close: async () => {
      await stage.close();
      await upstream.close();
    },
  };
}
