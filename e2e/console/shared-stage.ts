import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import type { ConsoleStage } from './stage.ts';

export interface SharedStage {
  url: string;
  directory: string;
  people: ConsoleStage['people'];
}

/** A busy machine takes many minutes. `fetch` waits five at most. */
const opening_ms = 900_000;

/** The stage of global-setup.ts, once it is open. */
export async function sharedStage(): Promise<SharedStage> {
  const signal = AbortSignal.timeout(opening_ms);
  const [response] = (await once(get(inject('stage_url'), { signal }), 'response')) as [IncomingMessage];
  const answer = await text(response);
  if (response.statusCode !== 200) throw new Error(answer);
  return JSON.parse(answer) as SharedStage; // global-setup.ts writes it
}
