// The tokens that clouds give the service, for hours at most. No message has anything of an answer.
import type { z } from 'zod';
import { Problem } from '@gantry/contract/problems.ts';
import { jsonIn } from '../../../ground/json-in.ts';
import type { Outbound } from '../../../ground/outbound/outbound.ts';
import { readAtMost } from '../../../ground/read-at-most.ts';

export interface Token {
  access_token: string;
  expires_in: number;
}

export const token_answer_ms = 10_000;
const most_bytes = 64_000;
/** A token that ends sooner is replaced. */
const early_ms = 300_000;

/** Asks anew shortly before the end. All who wait share one question. */
export function keptToken(fresh: () => Promise<Token>): () => Promise<string> {
  let known: { text: string; until: number } | undefined;
  let asking: Promise<string> | undefined;
  const ask = async () => {
    const { access_token, expires_in } = await fresh();
    known = { text: access_token, until: performance.now() + expires_in * 1000 - early_ms };
    return access_token;
  };
  return async () => {
    if (known !== undefined && performance.now() < known.until) return known.text;
    asking ??= ask().finally(() => (asking = undefined));
    return await asking;
  };
}

interface Asking {
  vendor: 'Google' | 'Azure';
  form: z.ZodType<Token>;
  /** What it means that nobody answers, and that the answer is another than 200. */
  nobody: string;
  refusal: string;
  hint: string;
}

/** Throws `engine_unavailable`. */
export async function askToken(
  ask: () => ReturnType<Outbound['request']>,
  { vendor, form, nobody, refusal, hint }: Asking,
): Promise<Token> {
  const failed = (detail: string, next: { hint?: string } = {}) =>
    new Problem('engine_unavailable', { detail, ...next });
  const answer = await ask().catch(() => {
    throw failed(`${nobody}.`, { hint });
  });
  const tooLong = () => failed('The answer with the token is too long.');
  const text = (await readAtMost(answer.body, most_bytes, tooLong)).toString();
  if (answer.statusCode !== 200) throw failed(`${refusal} (${answer.statusCode}).`, { hint });
  const found = form.safeParse(jsonIn(text));
  if (!found.success) throw failed(`The answer with the token has another form than ${vendor}’s.`);
  return found.data;
}
