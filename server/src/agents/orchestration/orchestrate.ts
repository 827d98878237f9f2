// The engine: asks the strategy for the next calls, makes them side by side, and asks again. After a crash, ended steps return their outputs
// and the strategy decides the same. It is the same after a member has waited for a person. A failed member is replaced by its fallback.
import { isOrchestration, type OrchestrationConfig } from '@gantry/project/orchestration-yaml.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { printRef } from '@gantry/contract/refs.ts';
import { cancelCallsOf } from '../invoke/calls/repeat-cancels.ts';
import { textOfOutput } from '../invoke/streams/text-of-output.ts';
import { findAssetsById } from '../../assets/registry/find.ts';
import { RunWaits, type RunKind } from '../../ground/runs/run.ts';
import { callMember, type MemberCall } from './members/call-member.ts';
import { callOrchestration } from './members/call-orchestration.ts';
import { withTime } from './runs/deadline.ts';
import type { Level } from './level.ts';
import { loadOrchestration } from './load-orchestration.ts';
import { memberInputs } from './members/member-inputs.ts';
import { memberRef } from './members/member-ref.ts';
import { wantedBy } from './members/wanted-target.ts';
import type {
  MemberAnswer,
  OrchestrationInput,
  OrchestrationResult,
  OrchestrationRun,
} from './runs/orchestration-run.ts';
import type { OrchestrationParts } from './parts.ts';
import { ends_the_run, errorOf, failed, located } from './members/read-member-answer.ts';
import { failuresOf } from './store.ts';
import type { Call, MemberFacts, Outcome, Story } from './strategies/strategy.ts';
import { strategies } from './strategies/index.ts';
import { withFallbacks } from './members/with-fallbacks.ts';

/** In one process. A caller leaves half of the places to others, and a team a quarter (docs/decisions/0063). */
export const run_places = { max: 64, team: 48, user: 32 };
const most_calls = 50;

export function orchestrationKind(parts: OrchestrationParts): RunKind<OrchestrationInput> {
  return {
    shares: run_places,
    work: async (run) => {
      try {
        const { deadline_at } = run.input;
        if (deadline_at === null) return await orchestrate(parts, run);
        const left = {
          ms: Date.parse(deadline_at) + run.waited_ms - Date.now(),
          problem: () => new Problem('run_timeout'),
        };
        return await withTime(run, left, async (timed) => await orchestrate(parts, timed));
      } catch (error) {
        // Also those that a process before this one has begun. A process that loses the run leaves them to the next one.
        if (error instanceof RunWaits) throw error;
        const isLost = run.signal.aborted && !(run.signal.reason instanceof Problem);
        if (!isLost && !parts.ingress.stopping.aborted) await cancelCallsOf(parts.ingress, run.id);
        throw error;
      }
    },
  };
}

async function orchestrate(parts: OrchestrationParts, run: OrchestrationRun): Promise<OrchestrationResult> {
  const { db } = parts.ingress;
  const { orchestration_id, name, version_id, input } = run.input;
  const self = { id: orchestration_id, ref: printRef({ kind: 'orchestration', name }) };
  const orchestration = await loadOrchestration(db, version_id);
  const { budget_usd } = orchestration.config;
  return await workLevel(parts, run, {
    ...orchestration,
    self,
    outer: [],
    prefix: '',
    input,
    is_callers: true,
    budgets: budget_usd === undefined ? [] : [{ ref: self.ref, budget_usd, spent_before: 0 }],
    targets: wantedBy(self.ref, orchestration.config),
    whole: { calls: 0, failures: await failuresOf(db, run.id) },
  });
}

/** `run` is the run, or the step of the member that the orchestration is. */
async function workLevel(parts: OrchestrationParts, run: OrchestrationRun, level: Level): Promise<OrchestrationResult> {
  const { config, input: value, whole } = level;
  const story: Story & { ended: Map<string, Outcome> } = {
    config,
    input: { value, text: textOfOutput(value) },
    members: await factsOf(parts, level),
    ended: new Map(),
  };
  const last = new Map<string, Outcome>();
  try {
    for (;;) {
      const next = strategies[config.strategy](story);
      if ('answer' in next) {
        const { text, state } = next.answer;
        const isPartial = [...last.values()].some(({ status }) => status === 'partial');
        return { status: isPartial ? 'partial' : state, output: { text, members: membersOf(config, last) } };
      }
      const fresh = next.calls.filter(({ path }) => !story.ended.has(path));
      whole.calls += fresh.length;
      if (whole.calls > most_calls)
        throw new Problem('too_many_calls', { detail: `A run makes at most ${most_calls} calls of members.` });
      const waits: RunWaits[] = [];
      await Promise.all(
        fresh.map(async (call) => {
          const outcome = await settle(parts, run, level, call).catch((error: unknown) => {
            if (error instanceof RunWaits) return void waits.push(error);
            if (error instanceof Problem) last.set(call.member, { status: 'failed', error: errorOf(error) });
            throw error;
          });
          if (outcome === undefined) return;
          story.ended.set(call.path, outcome);
          last.set(call.member, outcome);
        }),
      );
      // The calls beside it have ended, and their answers are stored.
      const [first] = waits;
      if (first !== undefined) throw first;
    }
  } catch (error) {
    throw error instanceof Problem ? withMembers(error, membersOf(config, last)) : error;
  }
}

/** Also of a process that stopped in the midst of the call. */
function endsTheWork({ code }: Problem): boolean {
  return ends_the_run.includes(code) || code === 'internal' || code === 'starting';
}

async function settle(
  parts: OrchestrationParts,
  run: OrchestrationRun,
  level: Level,
  { path, member: name, input, may_fail, is_callers }: Call,
): Promise<Outcome> {
  const { config, prefix, whole } = level;
  let failure: Problem | undefined;
  for (const member of withFallbacks(config, name)) {
    const own = failure === undefined ? path : `${path}:fallback:${member.name}`;
    const whole_path = `${prefix}${own}`;
    // Inside a member, the outer orchestration is told where it failed.
    const placed = (problem: Problem) => (prefix === '' ? problem : located(problem, whole_path));
    // Others have been called since, so a process that takes the run over does not call this one again.
    const earlier = whole.failures.get(whole_path);
    if (earlier !== undefined && !endsTheWork(earlier)) {
      failure = placed(earlier);
      continue;
    }
    const call = { path: whole_path, member, input, is_callers: is_callers === true && level.is_callers };
    try {
      const answer = await run.step(own, async (step) => await callInTime(parts, step, { level, call }));
      return { status: answer.is_partial === true ? 'partial' : 'done', text: answer.text, output: answer.output };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      failure = placed(error);
      if (run.signal.aborted || ends_the_run.includes(error.code)) throw failure;
    }
  }
  if (failure === undefined) throw new Error(`there is no member ${name}`);
  if (may_fail !== true || config.on_error !== 'continue') throw failure;
  return { status: 'failed', error: errorOf(failure) };
}

async function callInTime(
  parts: OrchestrationParts,
  step: OrchestrationRun,
  { level, call }: { level: Level; call: MemberCall },
): Promise<MemberAnswer> {
  const { member } = call;
  const act = async (timed: OrchestrationRun) =>
    isOrchestration(member)
      ? await callOrchestration(
          parts,
          { step: timed, level, work: async (...of) => await workLevel(parts, ...of) },
          call,
        )
      : await callMember(parts, timed, level, call);
  const { timeout_seconds } = member;
  if (timeout_seconds === undefined) return await act(step);
  const why = `it has not answered in ${timeout_seconds} s`;
  const problem = () => failed(memberRef(member), why, { code: 'member_timeout', status: 504 });
  return await withTime(step, { ms: timeout_seconds * 1000, problem }, act);
}

/** For a supervisor. */
async function factsOf({ ingress: { db } }: OrchestrationParts, level: Level): Promise<Map<string, MemberFacts>> {
  const { config, asset_ids } = level;
  if (config.strategy !== 'supervisor') return new Map();
  const [assets, inputs] = await Promise.all([
    findAssetsById(db, [...asset_ids.values()], null),
    memberInputs(db, level),
  ]);
  return new Map(
    config.agents.map((member) => {
      const id = asset_ids.get(memberRef(member));
      const description = assets.find((asset) => asset.id === id)?.description ?? '';
      return [member.name, { description, input_schema: inputs.get(member) ?? null }];
    }),
  );
}

type Members = OrchestrationResult['output']['members'];

function membersOf({ agents }: OrchestrationConfig, last: ReadonlyMap<string, Outcome>): Members {
  const members = agents.flatMap(({ name }) => {
    const outcome = last.get(name);
    if (outcome === undefined) return [];
    const { status } = outcome;
    return [[name, status === 'failed' ? outcome : { status, output: outcome.output }] as const];
  });
  return Object.fromEntries(members);
}

/** Those that have ended before it. */
function withMembers({ code, detail, hint, errors, fields }: Problem, members: Members): Problem {
  return new Problem(code, { detail, errors, fields: { ...fields, members }, ...(hint === undefined ? {} : { hint }) });
}
