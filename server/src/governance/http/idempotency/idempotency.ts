// A request with an Idempotency-Key is carried out at most once. Its row is inserted before anything else. The transaction of the change
// marks the row as carried out, so no crash separates the two. The answer is stored last. Must never happen: a second attempt that changes
// something, or a secret in the row. After a crash before the change, another attempt may take over the row once its lease has ended. A
// slow first attempt then fails at its mark, and its change is undone. A crash after the change loses only the answer.
import { createHmac, randomUUID } from 'node:crypto';
import type { Endpoint } from '@gantry/contract/endpoint.ts';
import { idempotencyKeyPattern, secretMembers, takesIdempotencyKey } from '@gantry/contract/idempotency.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Caller } from '../../access/caller.ts';
import { canonicalJson } from '../../audit/canonical-json.ts';
import type { Database } from '../../../ground/database/database.ts';
import * as store from './idempotency-store.ts';
import type { Reply } from '../answer/reply.ts';
import type { RequestHeaders } from '../request/request-headers.ts';

interface Asked {
  endpoint: Endpoint;
  caller: Caller;
  headers: RequestHeaders;
  /** Path parameters, query and body. */
  parsed: object;
}

/** Returns the answer of `carryOut`, or the stored answer. */
export type CarryOutOnce = (asked: Asked, carryOut: () => Promise<Reply>) => Promise<Reply>;

// Far longer than any of these requests takes. A shorter lease would be correct too, since every attempt is fenced.
const lease_seconds = 30;

/** The digests are keyed, so a reader of the table cannot guess the content of a body. */
export function carryOutOnce(db: Database, digest_key: Buffer): CarryOutOnce {
  return async ({ endpoint, caller, headers, parsed }, carryOut) => {
    const key = headers.get('idempotency-key');
    if (key === null || (caller.kind !== 'user' && caller.kind !== 'principal') || !takesIdempotencyKey(endpoint))
      return await carryOut();
    if (!idempotencyKeyPattern.test(key))
      throw new Problem('malformed', { detail: 'An Idempotency-Key is 1 to 255 visible ASCII characters.' });
    const name = `${endpoint.method} ${endpoint.path}`;
    const digest = createHmac('sha256', digest_key)
      .update(canonicalJson([name, parsed]))
      .digest('hex');
    const attempt = { id: randomUUID(), owner_id: caller.id, key };
    if (!(await store.begin(db, attempt, { endpoint: name, digest }, lease_seconds)))
      return answerAgain(await store.find(db, attempt), digest);
    await store.removeOld(db);
    caller.origin.onChange = async (tx) => {
      if (!(await store.carriedOut(tx, attempt))) throw underWay();
    };
    const reply = await carryOut().catch(async (error: unknown) => {
      // It changed nothing, or its row is marked.
      await store.forget(db, attempt);
      throw error;
    });
    await store.answered(db, attempt, reply.status, withoutSecrets(endpoint, reply));
    return reply;
  };
}

// The permission is not checked again. The caller is authenticated, the change is done, and this is their own earlier answer. Nothing is
// read again, so the answer has nothing new.
function answerAgain(row: Awaited<ReturnType<typeof store.find>>, digest: string): Reply {
  if (row !== undefined && row.digest !== digest)
    throw new Problem('idempotency_conflict', {
      detail: `This Idempotency-Key was used for another request: ${row.endpoint}, or the same with other content.`,
      hint: 'Use a new key for every new request.',
    });
  if (row?.state === 'answered')
    return {
      status: row.status,
      headers: { 'content-type': 'application/json', 'idempotency-replayed': 'true' },
      body: row.reply,
    };
  if (row?.state === 'carried_out' && !row.held)
    throw new Problem('idempotency_conflict', {
      detail: 'The request with this Idempotency-Key was done, but its answer is lost.',
      hint: 'Check the result of that request. For a new request, use a new key.',
    });
  throw underWay();
}

function underWay(): Problem {
  return new Problem('idempotency_conflict', {
    detail: 'The first request with this Idempotency-Key is still running.',
    hint: 'Send it again with the same key in a moment.',
    retry_after_seconds: 1,
  });
}

function withoutSecrets(endpoint: Endpoint, { body }: Reply): string {
  const { data } = JSON.parse(body as string) as { data: Record<string, unknown> }; // what creates answers {data}
  for (const member of secretMembers(endpoint)) delete data[member];
  return JSON.stringify({ data });
}
