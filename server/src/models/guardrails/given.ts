// What an agent was given during a run: every text that its calls to models contain, apart from the model's own words. The gateway collects it
// under the signed run id, and the ingress compares the answer with it.
import type { Database } from '../../ground/database/database.ts';
import type { DocumentText } from './json-texts.ts';
import * as store from './given-store.ts';
import type { Given, Rule } from './rule.ts';

const max_text_characters = 200_000;
const keep_hours = 24;

export function comparesWithGiven(rules: readonly Rule[]): boolean {
  return rules.some(({ kind, reads }) => kind === 'judge' && reads === 'answer');
}

export async function keepGiven(db: Database, run_id: string, texts: readonly DocumentText[]): Promise<void> {
  const given = givenIn(texts);
  if (given.length > 0) await store.keep(db, run_id, given);
}

/** A model's own words are no evidence for them. */
export function givenIn(texts: readonly DocumentText[]): Given[] {
  return texts.flatMap(({ text, source }) =>
    source === 'assistant' ? [] : [{ source, text: text.slice(0, max_text_characters).replaceAll('\0', '') }],
  );
}

export const givenTo = store.givenTo;

/** At the end of a run. */
export const forgetGiven = store.forget;

export async function forgetOldGiven(db: Database): Promise<void> {
  await store.forgetOld(db, keep_hours);
}
