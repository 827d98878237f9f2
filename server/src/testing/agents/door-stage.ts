// A service with a door, an agent behind it without a container, and runs of it that are open as if an ingress had stored their calls.
import { randomUUID } from 'node:crypto';
import { sql } from '../../ground/database/sql.ts';
import { signRunToken, type Link } from '../../ground/run-token.ts';
import type { Tx } from '../../ground/database/database.ts';
import type { Pin } from '../../assets/registry/content.ts';
import type { TestProject } from '../pushes/project-archive.ts';
import { freePort } from '../servers/free-port.ts';
import { storeAgent, type StoredAgent } from '../stored/stored-agent.ts';
import { testApp, type TestApp, type TestAppSettings, type TestUser } from '../test-app.ts';
import { standInFor } from './agent-stand-in.ts';

interface OfRun {
  id: string;
  caller_id: string;
  chain?: readonly Link[];
  /** Unset: the run itself is the first one. */
  root_run_id?: string;
  key_id?: string;
}

export interface DoorStage {
  app: TestApp;
  ada: TestUser;
  agent: StoredAgent;
  door: string;
  key: string;
  key_id: string;
  tokenOf: (run: OfRun) => string;
  /** Stores the row of an open call. `more` runs in its transaction. */
  storeRun: (of: { caller_id: string }, more?: (tx: Tx, id: string) => Promise<void>) => Promise<string>;
  endRun: (id: string) => Promise<void>;
  close: () => Promise<void>;
}

export interface DoorSettings {
  project?: TestProject & { name: string };
  /** Made before the agent is stored. */
  pins?: (app: TestApp, ada: TestUser) => Promise<Pin[]>;
  config?: TestAppSettings['config'];
  hosted?: TestAppSettings['hosted'];
  onLog?: TestAppSettings['onLog'];
}

export async function doorStage({
  project = { name: 'keeper' },
  pins,
  config,
  hosted,
  onLog,
}: DoorSettings = {}): Promise<DoorStage> {
  const [port, second_port] = [await freePort(), await freePort()];
  const app = await testApp({
    config: {
      engine_host: 'unix:///nowhere/docker.sock',
      door: { port, url: undefined, host: undefined, urls: [], second_port, notices: [] },
      ...config,
    },
    door_addresses: ['127.0.0.1'],
    ...(hosted && { hosted }),
    ...(onLog && { onLog }),
  });
  const ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  const agent = await storeAgent(app, ada.email, project, await pins?.(app, ada));
  await standInFor(app, agent, (_, response) => void response.end('{"status":"ready"}'));
  const made = await ada.client.call('keys.create', { body: { max_budget: '1' } });
  const revision = await app.db.one<{ id: string }>(sql`select id from revision where agent_id = ${agent.asset_id}`);
  const revision_id = revision?.id ?? '';
  await app.governed(sql`update revision set key_id = ${made.id} where id = ${revision_id} returning id`);
  return {
    app,
    ada,
    agent,
    door: `http://127.0.0.1:${port}`,
    key: made.key ?? '',
    key_id: made.id,
    tokenOf: ({ id, caller_id, chain = [], root_run_id = id, key_id = made.id }) =>
      signRunToken(app.keys['run-token'], {
        agent_id: agent.asset_id,
        revision_id,
        key_id,
        run_id: id,
        root_run_id,
        caller_id,
        chain,
        trace_id: 'a'.repeat(32),
        hidden: { inputs: false, outputs: false },
      }),
    storeRun: async ({ caller_id }, more) => {
      const id = randomUUID();
      await app.db.transaction(async (tx) => {
        await tx.run(sql`insert into invocation (id, agent_id, revision_id, caller_id, state, owner, lease_until)
          values (${id}, ${agent.asset_id}, ${revision_id}, ${caller_id}, 'running', 'the test', clock_now() + interval '1 hour')`);
        await more?.(tx, id);
      });
      return id;
    },
    endRun: async (id) => {
      await app.db.run(sql`delete from invocation where id = ${id}`);
    },
    close: async () => await app.stop(),
  };
}
