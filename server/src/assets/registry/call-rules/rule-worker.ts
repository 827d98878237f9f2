// The thread of rule-process.ts.
import { parentPort } from 'node:worker_threads';
import { decideCall } from '@gantry/project/call-rules/decide-call.ts';
import type { CallFacts } from '@gantry/project/call-rules/expression.ts';
import type { Asked } from './rule-thread.ts';

parentPort?.on('message', ({ policies, facts }: Asked) => {
  const { now, ...more } = JSON.parse(facts) as Omit<CallFacts, 'now'> & { now: string }; // rule-thread.ts has written it
  parentPort?.postMessage(decideCall(policies, { ...more, now: new Date(now) }));
});
parentPort?.postMessage('ready');
