// Rules on calls of tools are decided in a separate thread, one call at a time. A hostile rule, or arguments that make a rule slow, cost the deadline and
// no more: the thread ends, the call is refused, and whose call it was pauses. Must never happen: a rule stops the service, or passes a call because it
// was slow.
import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import type { CallDecision, CallPolicies } from '@gantry/project/call-rules/decide-call.ts';
import type { CallFacts } from '@gantry/project/call-rules/expression.ts';
import { places } from '../../../ground/places-of-files.ts';

/** To rule-worker.ts. Its first message is `ready`, and each other one is a decision. */
export interface Asked {
  policies: CallPolicies;
  /** JSON: a copy of objects would lose keys such as __proto__. */
  facts: string;
}

interface AskedDecision {
  policies: CallPolicies;
  facts: CallFacts;
  /** Who pauses when the rules take too long: the id of an agent, or of who pushes. */
  charged_to: string;
}

export interface RuleThread {
  decide(asked: AskedDecision): Promise<CallDecision>;
  close(): Promise<void>;
}

// A rule takes microseconds. The time is for a machine under load.
const deadline_ms = 500;
const start_ms = 20_000;
const pause_ms = 10_000;
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 };

export function ruleThread({ deadline = deadline_ms }: { deadline?: number } = {}): RuleThread {
  const oneAtATime = pLimit(1);
  const pausing = new LRUCache<string, true>({ max: 10_000, ttl: pause_ms });
  let started: Promise<Worker> | undefined;
  const end = async () => {
    const thread = await started?.catch(() => undefined); // who waited for the start has the error
    started = undefined;
    await thread?.terminate();
  };
  const decide = async ({ policies, facts, charged_to }: AskedDecision): Promise<CallDecision> => {
    if (pausing.has(charged_to))
      return tooSlow(policies, `rules took too long, and are tried again within ${pause_ms / 1000} s`);
    try {
      const thread = await (started ??= start());
      return await ask(thread, { policies, facts: JSON.stringify(facts) }, deadline);
    } catch (error) {
      await end();
      if (!(error instanceof Exhausted)) throw error;
      pausing.set(charged_to, true);
      return tooSlow(policies, error.message);
    }
  };
  return {
    decide: async (asked) => (isEmpty(asked.policies) ? {} : await oneAtATime(async () => await decide(asked))),
    close: end,
  };
}

class Exhausted extends Error {}

const isEmpty = ({ rules, approve }: CallPolicies) => rules.length === 0 && approve.length === 0;

/** The refusal names the first rule, or the first condition of an approval. */
function tooSlow({ rules, approve }: CallPolicies, fault: string): CallDecision {
  const [first] = [
    ...rules,
    ...approve.map(({ of }) => ({ of, name: 'approve', because: 'Nobody knows whether a person must approve this.' })),
  ];
  if (first === undefined) throw new Error('no rules are decided at once');
  const { of, name, because } = first;
  return { refused: { of, name, because, fault } };
}

async function start(): Promise<Worker> {
  const thread = new Worker(places.rule_worker, { env: {}, resourceLimits });
  await next(thread, start_ms);
  // Its end is seen by the next call. Without a listener, an error of it would end the process.
  thread.on('error', () => undefined);
  return thread;
}

async function ask(thread: Worker, asked: Asked, deadline: number): Promise<CallDecision> {
  const answer = next(thread, deadline);
  thread.postMessage(asked);
  return (await answer) as CallDecision; // from rule-worker.ts
}

/** The next message of the thread. Throws `Exhausted` at the deadline and when the memory is full, else the error of the thread. */
async function next(thread: Worker, deadline: number): Promise<unknown> {
  const answered = Promise.withResolvers<unknown>();
  const failed = (error: unknown) =>
    answered.reject(isOutOfMemory(error) ? new Exhausted('the rules need too much memory') : error);
  const exited = () => answered.reject(new Error('the thread that decides rules ended without an answer'));
  thread.once('message', answered.resolve).once('error', failed).once('exit', exited);
  const late = () => answered.reject(new Exhausted(`the rules took more than ${deadline} ms`));
  const timer = setTimeout(late, deadline);
  try {
    return await answered.promise;
  } finally {
    clearTimeout(timer);
    thread.off('message', answered.resolve).off('error', failed).off('exit', exited);
  }
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
