import type { Answer } from '@gantry/contract/endpoint.ts';
import type { Endpoints } from '@gantry/contract/endpoints.ts';
import { Problem, readProblem } from '@gantry/contract/problems.ts';
import { bytes } from '../../parts/figures/figures.ts';
import { refresh, send } from '../../server.ts';
import { pack } from './pack.ts';

export type Pushed = Answer<Endpoints['pushes.show']>;

/** A step of the push; the newest state replaces the one before. */
export interface Progress {
  name: string;
  state: 'running' | 'done' | 'failed';
  says: string;
}

interface Project {
  files: ReadonlyMap<string, Uint8Array>;
  name: string;
  message: string;
}

/** Packs, sends, and follows the service until the version is stored. */
export async function pushProject({ files, name, message }: Project, tell: (next: Progress) => void): Promise<Pushed> {
  tell({ name: 'pack', state: 'running', says: '' });
  const packed = await pack(files);
  tell({ name: 'pack', state: 'done', says: bytes(packed.length) });
  tell({ name: 'send', state: 'running', says: '' });
  const sending = { params: { name }, query: { message }, body: packed };
  const { answer: accepted } = await send('agents.push', sending).catch(async (error: unknown) => {
    // One push of an agent runs at a time; another one is awaited first.
    const other = error instanceof Problem && error.code === 'conflict' ? error.fields['push_id'] : undefined;
    if (typeof other !== 'string') throw error;
    tell({ name: 'send', state: 'running', says: 'another push of this agent runs' });
    await follow(other, () => {});
    return await send('agents.push', sending);
  });
  tell({ name: 'send', state: 'done', says: '' });
  await follow(accepted.id, tell);
  const { answer: push } = await send('pushes.show', { params: { id: accepted.id } });
  refresh(['agents', 'registry', 'home']);
  if (push.state === 'done') return push;
  throw (
    readProblem(push.problem) ?? new Problem('internal', { detail: `The push of ${push.ref} ended as ${push.state}.` })
  );
}

async function follow(id: string, tell: (next: Progress) => void): Promise<void> {
  const { answer: events } = await send('pushes.events', { params: { id } });
  for await (const { data } of events) {
    const { kind, step, state, message } = data;
    if (kind === 'end') return;
    const name = step ?? 'wait';
    if (kind === 'step' && (state === 'running' || state === 'done' || state === 'failed'))
      tell({ name, state, says: message === name ? '' : message });
    else if (kind === 'log' || kind === 'wait') tell({ name, state: 'running', says: message });
  }
}
