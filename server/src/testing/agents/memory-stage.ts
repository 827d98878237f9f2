// A service with a door, an agent behind it without a container, and runs of it that are open as if an ingress had stored their calls.
import { randomUUID } from 'node:crypto';
import { sql } from '../../ground/database/sql.ts';
import { signRunToken, type Link } from '../../ground/run-token.ts';
import { threadSpace } from '../../agents/invoke/caller-identity.ts';
import { readFrames, writeFrames } from '../../agents/memory/frames.ts';
import type { Content } from '../../assets/registry/content.ts';
import { freePort } from '../servers/free-port.ts';
import { storeAgent, type StoredAgent } from '../stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../test-app.ts';
import { standInFor } from './agent-stand-in.ts';
import { openTurns } from '../../agents/memory/turns.ts';

export interface OpenedRun {
  id: string;
  ask: (method: string, path: string, body?: object | Buffer) => Promise<Answered>;
  end: () => Promise<void>;
}

interface Answered {
  status: number;
  json: Record<string, unknown>;
  bytes: Buffer;
}

export interface MemoryStage {
  app: TestApp;
  ada: TestUser;
  agent: StoredAgent;
  door: string;
  key: string;
  key_id: string;
  tokenOf: (run: { id: string; caller_id: string; chain?: readonly Link[]; key_id?: string }) => string;
  openRun: (of: { caller_id: string; thread?: string; chain?: readonly Link[] }) => Promise<OpenedRun>;
  close: () => Promise<void>;
}

/** `prepare` makes what the agent's version pins. */
export async function memoryStage({
  private_hosts = [],
  prepare = async () => await Promise.resolve([]),
}: {
  private_hosts?: readonly string[];
  prepare?: (ada: TestUser) => Promise<Content['pins']>;
} = {}): Promise<MemoryStage> {
  const [port, second_port] = [await freePort(), await freePort()];
  const app = await testApp({
    config: {
      engine_host: 'unix:///nowhere/docker.sock',
      outbound_private_hosts: [...private_hosts],
      door: { port, url: undefined, host: undefined, urls: [], second_port, notices: [] },
    },
    door_addresses: ['127.0.0.1'],
  });
  const ada = await app.user('ada@example.com', { teams: { ml: 'admin' } });
  const agent = await storeAgent(app, ada.email, { name: 'keeper' }, await prepare(ada));
  await standInFor(app, agent, (_, response) => void response.end('{"status":"ready"}'));
  const made = await ada.client.call('keys.create', { body: { max_budget: '1' } });
  const revision = await app.db.one<{ id: string }>(sql`select id from revision where agent_id = ${agent.asset_id}`);
  const revision_id = revision?.id ?? '';
  await app.governed(sql`update revision set key_id = ${made.id} where id = ${revision_id} returning id`);
  const [door, key] = [`http://127.0.0.1:${port}`, made.key ?? ''];
  const turns = openTurns(app.db);

  const tokenOf: MemoryStage['tokenOf'] = ({ id, caller_id, chain = [], key_id = made.id }) =>
    signRunToken(app.keys['run-token'], {
      agent_id: agent.asset_id,
      revision_id,
      key_id,
      run_id: id,
      root_run_id: id,
      caller_id,
      chain,
      trace_id: 'a'.repeat(32),
      hidden: { inputs: false, outputs: false },
    });

  return {
    app,
    ada,
    agent,
    door,
    key,
    key_id: made.id,
    tokenOf,
    openRun: async ({ caller_id, thread, chain = [] }) => {
      const id = randomUUID();
      const agent_id = agent.asset_id;
      await app.db.transaction(async (tx) => {
        await tx.run(sql`insert into invocation (id, agent_id, revision_id, caller_id, state, owner, lease_until)
          values (${id}, ${agent_id}, ${revision_id}, ${caller_id}, 'running', 'the test', clock_now() + interval '1 hour')`);
        const space = threadSpace(agent_id, { id: caller_id }, chain);
        if (thread !== undefined)
          await turns.enter(tx, { run_id: id, agent_id, owner_id: caller_id, space, name: thread, via: null });
      });
      const token = tokenOf({ id, caller_id, chain });
      return {
        id,
        ask: async (method, path, body) => await ask(door + path, { key, token, method, body }),
        end: async () => {
          await app.db.run(sql`delete from invocation where id = ${id}`);
        },
      };
    },
    close: async () => await app.stop(),
  };
}

async function ask(
  url: string,
  { key, token, method, body }: { key: string; token: string; method: string; body: object | Buffer | undefined },
): Promise<Answered> {
  const type = Buffer.isBuffer(body) ? 'application/vnd.gantry.frames' : 'application/json';
  const sent = body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const response = await fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      'x-svc-run': token,
      ...(body !== undefined && { 'content-type': type }),
    },
    ...(sent !== undefined && { body: sent }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return {
    status: response.status,
    json: isJson ? (JSON.parse(bytes.toString()) as Record<string, unknown>) : {},
    bytes,
  };
}

/** One checkpoint with one channel, as the wrapper sends a superstep. */
export function superstep(
  id: string,
  {
    parent = null,
    value,
    version = id,
    ns = '',
  }: { parent?: string | null; value: string; version?: string; ns?: string },
): Buffer {
  const [body, metadata, blob, view] = [`checkpoint ${id}`, `metadata ${id}`, value, JSON.stringify(value)].map(
    (text) => Buffer.from(text),
  ) as [Buffer, Buffer, Buffer, Buffer];
  const put = {
    ns,
    id,
    parent_id: parent,
    type: 'msgpack',
    size: body.length,
    metadata: { type: 'msgpack', size: metadata.length },
    versions: { messages: version },
    source: 'loop',
    step: 1,
    channels: [{ channel: 'messages', version, type: 'msgpack', size: blob.length, view_size: view.length }],
  };
  return writeFrames({ puts: [put] }, [body, metadata, blob, view]);
}

/** The values of the channels of a read, newest state first. */
export function valuesIn(bytes: Buffer): { id: string; value: string | undefined }[] {
  const { head, take } = readFrames(bytes);
  const { checkpoints, blobs } = head as {
    checkpoints: {
      id: string;
      ns: string;
      size: number;
      metadata: { size: number };
      versions: Record<string, string>;
      writes: { size: number }[];
    }[];
    blobs: { ns: string; channel: string; version: string; size: number }[];
  };
  for (const { size, metadata, writes } of checkpoints)
    for (const part of [size, metadata.size, ...writes.map((one) => one.size)]) take(part);
  const values = new Map(blobs.map(({ ns, version, size }) => [`${ns} ${version}`, take(size).toString()]));
  return checkpoints.map(({ id, ns, versions }) => ({ id, value: values.get(`${ns} ${versions['messages']}`) }));
}
