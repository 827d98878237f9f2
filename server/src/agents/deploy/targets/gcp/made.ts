// Every call that makes something in the project, and no other file has one. Each is recorded before it is made, so a crash leaves nothing unknown.
import { z } from 'zod';
import type { OutsideResource } from '../outside.ts';
import type { CloudRun } from './cloud-run-platform.ts';
import { unlessRefused } from './google.ts';
import { finished } from './operations.ts';
import { readSecret } from './secret-values.ts';
import type { description, replica, secret } from './requests.ts';
import { key_variable, pool_label, secretName } from './requests.ts';
import { findPool } from './pools.ts';
import type { PoolTemplate } from './pool.ts';

export type Kind = 'worker pool' | 'secret';
export const made = (kind: Kind, name: string): OutsideResource => ({ kind, name });

/** What drift is measured against. */
export interface RecordedPool {
  template: PoolTemplate;
}

interface Of {
  agent: string;
  revision_id: string;
}

/** The description is the last that is made, and the first on record: by its name an interrupted removal finds the rest. */
export async function recordDescription(
  { ledger }: CloudRun,
  { name, template, agent, revision_id }: Of & { name: string; template: PoolTemplate },
): Promise<void> {
  const described = { template: withoutKey(template) } satisfies RecordedPool;
  await ledger.record(made('worker pool', name), { agent, revision_id }, described);
}

/** The key is no value of the ledger. */
const withoutKey = ({ containers, ...template }: PoolTemplate): PoolTemplate => ({
  ...template,
  containers: containers.map(({ env, ...container }) => ({
    ...container,
    env: env.map((one) => (one.name === key_variable ? { name: one.name, value: '' } : one)),
  })),
});

/** The secret of an earlier attempt is taken over. */
export async function makeSecret(
  run: CloudRun,
  { name, request, ...of }: Of & { name: string; request: ReturnType<typeof secret> },
  signal?: AbortSignal,
): Promise<void> {
  await run.ledger.record(made('secret', secretName(name, run)), of);
  const making = run.google.call(request, z.unknown(), signal);
  if ((await unlessRefused(['ALREADY_EXISTS'], making)) !== undefined) return;
  const { labels } = await readSecret(run, name, signal);
  if (labels[pool_label.installation] !== run.installation_id)
    throw new Error(`The secret ${secretName(name, run)} does not belong to this installation`);
}

export async function makeDescription(
  run: CloudRun,
  request: ReturnType<typeof description>,
  signal?: AbortSignal,
): Promise<void> {
  await finished(run.google, request, signal);
}

/** One of an earlier attempt is taken over. */
export async function makeReplica(
  run: CloudRun,
  { request, ...of }: Of & { request: ReturnType<typeof replica> },
  signal?: AbortSignal,
): Promise<void> {
  const id = request.query.workerPoolId;
  await run.ledger.record(made('worker pool', id), of);
  await unlessRefused(['ALREADY_EXISTS'], finished(run.google, request, signal));
  // Throws for one of somebody else.
  if ((await findPool(run, id, signal)) === undefined) throw new Error(`Cloud Run has made no worker pool ${id}`);
}
