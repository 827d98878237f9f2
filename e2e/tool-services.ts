// Services with a door on one database, and an agent behind it that may call one MCP server, `city`. It has no container: a test sends what it would send.
import { randomUUID } from 'node:crypto';
import { openStoredKeys } from '../server/src/ground/envelope/stored-keys.ts';
import { signRunToken } from '../server/src/ground/run-token.ts';
import { sql } from '../server/src/ground/database/sql.ts';
import { pinServer } from '../server/src/testing/agents/pin-server.ts';
import { governedWrites } from '../server/src/testing/governed-writes.ts';
import { freePort } from '../server/src/testing/servers/free-port.ts';
import { serveAgent, storeAgent } from '../server/src/testing/stored/stored-agent.ts';
import { openServices, type Services } from './services.ts';

export interface ToolServices extends Services {
  /** The address of `city` at the door of each service. */
  cities: readonly string[];
  agent_id: string;
  key_id: string;
  /** Opens a run of the agent for the admin. Returns the headers of its calls. */
  openRun(): Promise<Record<string, string>>;
}

interface ToolServicesSettings {
  count?: number;
  /** Of the server, beside its transport. */
  config: { url: string } & Record<string, unknown>;
  /** Of the entry of the server in agent.yaml. */
  yaml?: string;
  daily_usd: string;
  /** How many calls the agent may have under way. */
  at_once: number;
  fsync?: boolean;
}

export async function openToolServices({
  count = 1,
  config,
  yaml = '',
  daily_usd,
  at_once,
  fsync = false,
}: ToolServicesSettings): Promise<ToolServices> {
  const ports = await Promise.all(Array.from({ length: count }, async () => [await freePort(), await freePort()]));
  const services = await openServices({
    count,
    roles: 'api,gateway,ingress',
    env: { OUTBOUND_PRIVATE_HOSTS: new URL(config.url).host, DOOR_HOST: '127.0.0.1' },
    envOf: (n) => ({ DOOR_PORT: String(ports[n]?.[0]), SUBAGENTS_PORT: String(ports[n]?.[1]) }),
    fsync,
  });
  const { db, secret_key } = services;
  const client = services.admin(0);
  const governed = governedWrites(db);
  await client.call('org.set', { body: { tool_calls_at_once: at_once } });
  await client.call('registry.create', {
    params: { kind: 'mcp-server' },
    body: {
      name: 'city',
      team: 'default',
      visibility: 'team',
      config: { transport: 'streamable-http', ...config },
    },
  });
  const pin = await pinServer({ db }, { client }, 'city');
  const project = { name: 'keeper', team: 'default', yaml: `mcp_servers:\n  - ref: mcp/city\n${yaml}` };
  const agent = await storeAgent({ db }, 'admin@gantry.local', project, [pin]);
  const revision_id = await serveAgent({ db, governed }, agent, 'http://127.0.0.1:1');
  const { key = '', id: key_id } = await client.call('keys.create', {
    body: { scope: 'team', scope_id: 'default', limits: { daily_usd } },
  });
  await governed(sql`update revision set key_id = ${key_id} where id = ${revision_id} returning id`);
  const admin = await db.one<{ id: string }>(sql`select id from app_user where email = 'admin@gantry.local'`);
  const keys = await openStoredKeys(db, { secret_key });
  const agent_id = agent.asset_id;
  const caller_id = admin?.id ?? '';
  return {
    ...services,
    cities: ports.map(([door]) => `http://127.0.0.1:${door}/mcp/city`),
    agent_id,
    key_id,
    openRun: async () => {
      const id = randomUUID();
      await db.run(sql`insert into invocation (id, agent_id, revision_id, caller_id, state, owner, lease_until)
        values (${id}, ${agent_id}, ${revision_id}, ${caller_id}, 'running', 'the test', clock_now() + interval '1 day')`);
      const token = signRunToken(keys['run-token'], {
        agent_id,
        revision_id,
        key_id,
        run_id: id,
        root_run_id: id,
        caller_id,
        chain: [],
        trace_id: 'a'.repeat(32),
        hidden: { inputs: false, outputs: false },
      });
      return { authorization: `Bearer ${key}`, 'x-svc-run': token };
    },
  };
}
