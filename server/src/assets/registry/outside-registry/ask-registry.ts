// One request to another MCP registry. Promise: its answer is what was asked for, short, in time and of the asked address. What it has written is never
// repeated in a refusal.
import { Problem } from '@gantry/contract/problems.ts';
import type { z } from 'zod';
import { AnswerTooLong, boundedFetch, Redirected } from '../../../ground/outbound/bounded-fetch.ts';
import { DestinationRefused, type Outbound } from '../../../ground/outbound/outbound.ts';
import { jsonIn } from '../../../ground/json-in.ts';

export interface Registry {
  /** Without a slash at its end. */
  address: string;
  token: string | undefined;
}

interface Question<T> {
  outbound: Outbound;
  registry: Registry;
  /** Below the address of the registry. */
  path: string;
  schema: z.ZodType<T>;
  signal: AbortSignal;
}

/** Throws `registry_unreadable`. */
export async function askRegistry<T>({ outbound, registry, path, schema, signal }: Question<T>): Promise<T> {
  const headers = {
    accept: 'application/json',
    ...(registry.token !== undefined && { authorization: `Bearer ${registry.token}` }),
  };
  const { status, text } = await reading(registry, async () => {
    const answer = await boundedFetch(outbound)(`${registry.address}${path}`, { headers, signal });
    return { status: answer.status, text: await answer.text() };
  });
  if (status !== 200) throw unreadable(registry, statusMeanings[status] ?? `It answers with the status ${status}.`);
  const parsed = schema.safeParse(jsonIn(text));
  if (parsed.success) return parsed.data;
  const at = parsed.error.issues[0]?.path.filter((part) => typeof part === 'number' || /^\w{1,40}$/.test(String(part)));
  const where = at === undefined || at.length === 0 ? '' : ` (at ${at.join('.')})`;
  throw unreadable(
    registry,
    `Its answer is not what the registry API of MCP says, or holds control characters${where}.`,
  );
}

export function unreadable({ address }: Pick<Registry, 'address'>, why: string): Problem {
  return new Problem('registry_unreadable', { detail: `${address}: ${why}` });
}

const statusMeanings: Readonly<Record<number, string>> = {
  401: 'It wants a sign-in. Name the secret with a token for it.',
  403: 'It does not let this caller read.',
  404: 'It has no such server or version, or it is no MCP registry.',
};

async function reading<T>(registry: Registry, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw unreadable(registry, reasonOf(error));
  }
}

function reasonOf(error: unknown): string {
  const isOwn = error instanceof DestinationRefused || error instanceof Redirected || error instanceof AnswerTooLong;
  if (isOwn) return error.message;
  if (error instanceof Error && ['TimeoutError', 'HeadersTimeoutError', 'BodyTimeoutError'].includes(error.name))
    return 'It does not answer in time.';
  return 'It cannot be reached.';
}
