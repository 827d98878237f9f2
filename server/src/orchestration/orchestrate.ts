// The engine: asks the strategy for the next calls, makes them side by side, and asks again. After a crash, ended steps return their outputs
// and the strategy decides the same. A failed member is replaced by its fallback.
import type { OrchestrationConfig } from '@gantry/contract/orchestration-yaml.ts';
import { Problem, type ProblemCode } from '@gantry/contract/problems.ts';
import { cancelCallsOf } from '../invoke/repeat-cancels.ts';
import { textOfOutput } from '../invoke/text-of-output.ts';
import { servingInputs } from '../deploy/serving-inputs.ts';
import { findAssetsById } from '../registry/find.ts';
import type { RunKind } from '../runs/run.ts';
import { agentRef } from './agent-ref.ts';
import { callMember } from './call-member.ts';
import { loadOrchestration, type Orchestration } from './load-orchestration.ts';
import type { OrchestrationInput, OrchestrationResult, OrchestrationRun } from './orchestration-run.ts';
import type { OrchestrationParts } from './parts.ts';
import { errorOf } from './read-member-answer.ts';
import { failuresOf } from './store.ts';
import type { Call, MemberFacts, Outcome, Story } from './strategies/strategy.ts';
import { strategies } from './strategies/index.ts';
import { withFallbacks } from './with-fallbacks.ts';

/** In one process. A caller leaves half of the places to others, and a team a quarter (docs/decisions/0063). */
export const run_places = { max: 64, team: 48, user: 32 };
const most_calls = 50;

export function orchestrationKind(parts: OrchestrationParts): RunKind<OrchestrationInput> {
  return {
    shares: run_places,
    work: async (run) => {
      try {
        return await withinDeadline(run, async (timed) => await orchestrate(parts, timed));
      } catch (error) {
        // Also those that a process before this one has begun. A process that loses the run leaves them to the next one.
        const isLost = run.signal.aborted && !(run.signal.reason instanceof Problem);
        if (!isLost && !parts.ingress.stopping.aborted) await cancelCallsOf(parts.ingress, run.id);
        throw error;
      }
    },
  };
}

async function orchestrate(parts: OrchestrationParts, run: OrchestrationRun): Promise<OrchestrationResult> {
  const orchestration = await loadOrchestration(parts.ingress.db, run.input.version_id);
  const { config } = orchestration;
  const value = run.input.input;
  const story: Story & { ended: Map<string, Outcome> } = {
    config,
    input: { value, text: textOfOutput(value) },
    members: await factsOf(parts, orchestration),
    ended: new Map(),
  };
  const failures = await failuresOf(parts.ingress.db, run.id);
  const last = new Map<string, Outcome>();
  try {
    for (let calls = 0; ;) {
      const next = strategies[config.strategy](story);
      if ('answer' in next) {
        const { text, state: status } = next.answer;
        return { status, output: { text, members: membersOf(config, last) } };
      }
      const fresh = next.calls.filter(({ path }) => !story.ended.has(path));
      calls += fresh.length;
      if (calls > most_calls)
        throw new Problem('too_many_calls', { detail: `A run makes at most ${most_calls} calls of members.` });
      await Promise.all(
        fresh.map(async (call) => {
          const outcome = await settle(parts, run, { ...orchestration, failures }, call).catch((error: unknown) => {
            if (error instanceof Problem) last.set(call.member, { status: 'failed', error: errorOf(error) });
            throw error;
          });
          story.ended.set(call.path, outcome);
          last.set(call.member, outcome);
        }),
      );
    }
  } catch (error) {
    throw error instanceof Problem ? withMembers(error, membersOf(config, last)) : error;
  }
}

// No fallback can help: they are about the run, or a person must act.
const ends_the_run: readonly ProblemCode[] = [
  'budget_exceeded',
  'cancelled',
  'forbidden',
  'member_changed',
  'member_waits',
  'not_found',
  'run_timeout',
];

/** Also of a process that stopped in the midst of the call. */
function endsTheWork({ code }: Problem): boolean {
  return ends_the_run.includes(code) || code === 'internal' || code === 'starting';
}

async function settle(
  parts: OrchestrationParts,
  run: OrchestrationRun,
  orchestration: Orchestration & { failures: ReadonlyMap<string, Problem> },
  { path, member: name, input, may_fail, is_callers }: Call,
): Promise<Outcome> {
  const { config } = orchestration;
  let failure: Problem | undefined;
  for (const member of withFallbacks(config, name)) {
    const own = failure === undefined ? path : `${path}:fallback:${member.name}`;
    // Others have been called since, so a process that takes the run over does not call this one again.
    const earlier = orchestration.failures.get(own);
    if (earlier !== undefined && !endsTheWork(earlier)) {
      failure = earlier;
      continue;
    }
    try {
      const answer = await run.step(
        own,
        async (step) =>
          await callMember(parts, step, orchestration, { path: own, member, input, is_callers: is_callers === true }),
      );
      return { status: 'done', text: answer.text, output: answer.output };
    } catch (error) {
      if (!(error instanceof Problem) || run.signal.aborted || ends_the_run.includes(error.code)) throw error;
      failure = error;
    }
  }
  if (failure === undefined) throw new Error(`there is no member ${name}`);
  if (may_fail !== true || config.on_error !== 'continue') throw failure;
  return { status: 'failed', error: errorOf(failure) };
}

/** For a supervisor. */
async function factsOf(
  { ingress: { db } }: OrchestrationParts,
  { config, asset_ids }: Orchestration,
): Promise<Map<string, MemberFacts>> {
  if (config.strategy !== 'supervisor') return new Map();
  const ids = [...asset_ids.values()];
  const [assets, inputs] = await Promise.all([findAssetsById(db, ids, null), servingInputs(db, ids)]);
  return new Map(
    config.agents.map((member) => {
      const { name } = member;
      const id = asset_ids.get(agentRef(member));
      const description = assets.find((asset) => asset.id === id)?.description ?? '';
      const input_schema = inputs.find(({ agent_id }) => agent_id === id)?.input?.schema ?? null;
      return [name, { description, input_schema }];
    }),
  );
}

type Members = OrchestrationResult['output']['members'];

function membersOf({ agents }: OrchestrationConfig, last: ReadonlyMap<string, Outcome>): Members {
  const members = agents.flatMap(({ name }) => {
    const outcome = last.get(name);
    if (outcome === undefined) return [];
    const { status } = outcome;
    return [[name, status === 'done' ? { status, output: outcome.output } : outcome] as const];
  });
  return Object.fromEntries(members);
}

/** Those that have ended before it. */
function withMembers({ code, detail, hint, errors, fields }: Problem, members: Members): Problem {
  return new Problem(code, { detail, errors, fields: { ...fields, members }, ...(hint === undefined ? {} : { hint }) });
}

/** The run with a signal that its deadline aborts too. */
async function withinDeadline<T>(run: OrchestrationRun, work: (run: OrchestrationRun) => Promise<T>): Promise<T> {
  const { deadline_at } = run.input;
  if (deadline_at === null) return await work(run);
  const late = new AbortController();
  const overdue = () => late.abort(new Problem('run_timeout'));
  const timer = setTimeout(overdue, Math.max(0, Date.parse(deadline_at) - Date.now()));
  try {
    return await work({
      ...run,
      signal: AbortSignal.any([run.signal, late.signal]),
      step: async (name, act, undo) =>
        await run.step(
          name,
          async (step) => await act({ ...step, signal: AbortSignal.any([step.signal, late.signal]) }),
          undo,
        ),
    });
  } finally {
    clearTimeout(timer);
  }
}
