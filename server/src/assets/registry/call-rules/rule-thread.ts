// Rules on calls of tools are decided in a thread of a process of its own, one call at a time. A hostile rule, or arguments that make a rule slow, cost the
// deadline and no more: the process ends, the call is refused, and whose call it was pauses. A thread of the service would not do: V8 ends the whole process when
// one allocation passes the limit of a thread. Must never happen: a rule stops the service, or passes a call because it was slow.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import type { CallDecision, CallPolicies } from '@gantry/project/call-rules/decide-call.ts';
import type { CallFacts } from '@gantry/project/call-rules/expression.ts';
import { nextMessage } from '../../../ground/next-message.ts';
import { places } from '../../../ground/places-of-files.ts';

/** To rule-worker.ts, through rule-process.ts. Its first message is `ready`, and each other one is a decision. */
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
/** Of the service, those for its own memory are not for this process. */
const execArgv = process.execArgv.filter((one) => !/^--(max-|min-|heap-)/.test(one));

export function ruleThread({ deadline = deadline_ms }: { deadline?: number } = {}): RuleThread {
  const oneAtATime = pLimit(1);
  const pausing = new LRUCache<string, true>({ max: 10_000, ttl: pause_ms });
  let started: Promise<ChildProcess> | undefined;
  const end = async () => {
    const program = await started?.catch(() => undefined); // who waited for the start has the error
    started = undefined;
    if (program !== undefined) await kill(program);
  };
  const running = async () => {
    const program = await (started ??= start());
    // It has ended since the last decision.
    return hasEnded(program) ? await (started = start()) : program;
  };
  const decide = async ({ policies, facts, charged_to }: AskedDecision): Promise<CallDecision> => {
    if (pausing.has(charged_to))
      return tooSlow(policies, `rules took too long, and are tried again within ${pause_ms / 1000} s`);
    try {
      const program = await running();
      return await ask(program, { policies, facts: JSON.stringify(facts) }, deadline);
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

async function start(): Promise<ChildProcess> {
  const program = fork(fileURLToPath(places.rule_process), [], {
    env: {},
    execArgv,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // Its end is seen by the next call. Without a listener, an error of it would end the service.
  program.on('error', () => undefined);
  try {
    await next(program, start_ms);
  } catch (error) {
    await kill(program);
    throw error instanceof Exhausted ? new Error(`rules cannot be decided: ${error.message}`) : error;
  }
  // It keeps no process alive.
  program.unref();
  program.channel?.unref();
  return program;
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

async function kill(program: ChildProcess): Promise<void> {
  if (hasEnded(program)) return;
  const ended = once(program, 'exit');
  program.ref();
  program.kill('SIGKILL');
  await ended;
}

async function ask(program: ChildProcess, asked: Asked, deadline: number): Promise<CallDecision> {
  const answer = next(program, deadline);
  program.send(asked, () => undefined); // a failure is seen as the end of the program
  return (await answer) as CallDecision; // from rule-worker.ts
}

/** The next message of the program. Throws `Exhausted` at the deadline, and when the program ends, for which nothing but its memory is a reason. */
async function next(program: ChildProcess, deadline_ms: number): Promise<unknown> {
  const ended = () => new Exhausted('the rules need too much memory');
  if (hasEnded(program)) throw ended();
  const late = () => new Exhausted(`the rules took more than ${deadline_ms} ms`);
  return await nextMessage(program, { deadline_ms, late, ended });
}
