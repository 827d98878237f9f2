// Orchestrations of an installation: pushed and deployed by `svc`, called over HTTP.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OrchestrationRun } from '@gantry/contract/agents/orchestrations.ts';
import { expect } from 'vitest';
import { adminOf } from './api.ts';
import type { Installation } from './installation.ts';

interface Answered {
  status: number;
  json: Record<string, unknown>;
}

export interface Orchestrating {
  /** Version 1.0.0 with this strategy and these members. Returns what `svc` said. */
  push(name: string, yaml: string, team?: string): Promise<string>;
  deploy(name: string, yaml: string): Promise<void>;
  call(name: string, input: unknown, more?: { as?: string; prefer?: string; thread_id?: string }): Promise<Answered>;
  /** The run of a call, as the admin reads it. */
  read(name: string, called: Answered): Promise<OrchestrationRun>;
  /** Waits for its end. */
  ended(name: string, called: Answered): Promise<OrchestrationRun>;
}

export function orchestrating(gantry: Installation): Orchestrating {
  const push: Orchestrating['push'] = async (name, yaml, team = gantry.team) => {
    const folder = join(gantry.directory, `flow-${name}`);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'orchestration.yaml'), `name: ${name}\nversion: 1.0.0\nteam: ${team}\n${yaml}`);
    return (await gantry.must('svc orchestration push', { in: `flow-${name}` })).output;
  };
  const read: Orchestrating['read'] = async (name, { json }) => {
    const admin = await adminOf(gantry);
    return await admin.call('orchestrate.run', { params: { name, run_id: String(json['run_id']) } });
  };
  return {
    push,
    read,
    deploy: async (name, yaml) => {
      await push(name, yaml);
      await gantry.must(`svc orchestration deploy ${name}`);
    },
    call: async (name, input, { as, prefer, thread_id } = {}) => {
      const response = await fetch(`${gantry.url}/orchestrations/${name}/invoke`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${await gantry.token(as)}`,
          'content-type': 'application/json',
          ...(prefer && { prefer }),
        },
        body: JSON.stringify({ input, ...(thread_id && { thread_id }) }),
      });
      return { status: response.status, json: (await response.json()) as Record<string, unknown> };
    },
    ended: async (name, called) => {
      await expect.poll(async () => (await read(name, called)).ended_at, { timeout: 60_000 }).not.toBeNull();
      return await read(name, called);
    },
  };
}
