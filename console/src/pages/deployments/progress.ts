// What the events of a deploy say: the state of each step, and the output of each.
import type { Deployment } from '@gantry/contract/agents/deploy.ts';
import { readProblem } from '@gantry/contract/problems.ts';
import type { RunEvent } from '@gantry/contract/agents/runs.ts';

export type Step = Deployment['steps'][number];

export interface StepLine {
  key: string;
  text: string;
}

/** The steps as of the last event; a step's state in an event is newer than that of the deploy. */
export function stepsOf(deployment: Deployment, events: readonly RunEvent[]): Step[] {
  const steps = new Map(deployment.steps.map((step) => [step.name, step]));
  for (const { kind, step: name, state, at, data } of events) {
    const step = steps.get(name ?? '');
    const told = stepStates.find((each) => each === state);
    if (kind !== 'step' || step === undefined || told === undefined) continue;
    const times = told === 'running' ? { started_at: at, ended_at: null } : { ended_at: step.ended_at ?? at };
    const problem = readProblem(data['problem']) === undefined ? step.problem : (data['problem'] as Step['problem']); // a problem document
    steps.set(step.name, { ...step, ...times, state: told, problem });
  }
  return [...steps.values()];
}

/** A step that a person ended has not failed. */
export function isCancelled({ state, problem }: Step): boolean {
  return state === 'failed' && problem?.['code'] === 'cancelled';
}

const stepStates = ['running', 'done', 'failed', 'undone'] as const;

export function linesOf(events: readonly RunEvent[]): Map<string, StepLine[]> {
  const lines = new Map<string, StepLine[]>();
  for (const { kind, step, seq, message } of events) {
    if (kind !== 'log') continue;
    const of = lines.get(step ?? '') ?? [];
    const texts = message.split('\n').filter((text) => text.trim() !== '');
    of.push(...texts.map((text, index) => ({ key: `${seq}.${index}`, text })));
    lines.set(step ?? '', of);
  }
  return lines;
}

export function stateOf(deployment: Deployment, events: readonly RunEvent[]): Deployment['state'] {
  const end = events.at(-1);
  if (end?.kind === 'end') return runStates.find((each) => each === end.state) ?? deployment.state;
  const hasBegun = events.some(({ kind }) => kind === 'step');
  return deployment.state === 'queued' && hasBegun ? 'running' : deployment.state;
}

const runStates = ['done', 'failed', 'cancelled', 'needs_attention'] as const satisfies readonly Deployment['state'][];
