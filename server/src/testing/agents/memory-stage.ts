// The door of an agent that keeps threads, and runs of it with a thread.
import type { Link } from '../../ground/run-token.ts';
import { threadSpace } from '../../agents/invoke/caller-identity.ts';
import { readFrames, writeFrames } from '../../agents/memory/frames.ts';
import type { Content } from '../../assets/registry/content.ts';
import { openTurns } from '../../agents/memory/turns.ts';
import { doorStage, type DoorStage } from './door-stage.ts';
import type { TestUser } from '../test-app.ts';

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

export interface MemoryStage extends DoorStage {
  openRun: (of: { caller_id: string; thread?: string; chain?: readonly Link[] }) => Promise<OpenedRun>;
}

/** `prepare` makes what the agent's version pins. */
export async function memoryStage({
  private_hosts = [],
  prepare,
}: {
  private_hosts?: readonly string[];
  prepare?: (ada: TestUser) => Promise<Content['pins']>;
} = {}): Promise<MemoryStage> {
  const stage = await doorStage({
    config: { outbound_private_hosts: [...private_hosts] },
    ...(prepare !== undefined && { pins: async (_, ada) => await prepare(ada) }),
  });
  const { app, agent, door, key, tokenOf, storeRun, endRun } = stage;
  const turns = openTurns(app.db);
  return {
    ...stage,
    openRun: async ({ caller_id, thread, chain = [] }) => {
      const agent_id = agent.asset_id;
      const id = await storeRun({ caller_id }, async (tx, run_id) => {
        const space = threadSpace(agent_id, { id: caller_id }, chain);
        if (thread !== undefined)
          await turns.enter(tx, { run_id, agent_id, owner_id: caller_id, space, name: thread, via: null });
      });
      const token = tokenOf({ id, caller_id, chain });
      return {
        id,
        ask: async (method, path, body) => await ask(door + path, { key, token, method, body }),
        end: async () => await endRun(id),
      };
    },
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
