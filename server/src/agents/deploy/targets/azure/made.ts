// Every call that makes something in the resource group, and no other file has one. Each is recorded before it is made, so a crash leaves nothing
// unknown.
import { z } from 'zod';
import type { OutsideResource } from '../outside.ts';
import { appTemplate } from './app.ts';
import { findApp } from './apps.ts';
import type { AzureRun } from './container-apps-platform.ts';
import { finished } from './operations.ts';
import type { ReplicaRequest } from './requests.ts';

const kind = 'container app';
export const made = (name: string): OutsideResource => ({ kind, name });

/** Azure has no resource for a revision without a replica, so the record of the service is its only description. It has no value of a secret. */
const description = z.object({ template: appTemplate, agent: z.string(), fence: z.number() });
export interface RecordedDescription extends z.output<typeof description> {
  name: string;
  revision_id: string;
}

/** Undefined for a missing one. */
export async function findDescription(
  { ledger }: Pick<AzureRun, 'ledger'>,
  name: string,
): Promise<RecordedDescription | undefined> {
  return (await descriptions({ ledger })).find((one) => one.name === name);
}

export async function descriptions({ ledger }: Pick<AzureRun, 'ledger'>): Promise<RecordedDescription[]> {
  return (await ledger.list()).flatMap(({ name, revision_id, described }) => {
    const found = description.safeParse(described);
    return found.success && revision_id !== null ? [{ ...found.data, name, revision_id }] : [];
  });
}

/** By its name an interrupted removal finds the rest. */
export async function recordDescription(
  { ledger }: AzureRun,
  { name, revision_id, ...described }: RecordedDescription,
): Promise<void> {
  await ledger.record(made(name), { agent: described.agent, revision_id }, { ...described });
}

/** One of an earlier attempt is taken over. */
export async function makeReplica(
  run: AzureRun,
  { request, id, ...of }: { request: ReplicaRequest; id: string; agent: string; revision_id: string },
  signal?: AbortSignal,
): Promise<void> {
  await run.ledger.record(made(id), of);
  // Throws for one of somebody else: the request would replace it.
  await findApp(run, id, signal);
  await finished(run.azure, request, run.settings, signal);
}
