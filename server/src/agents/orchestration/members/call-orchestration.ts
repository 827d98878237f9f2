// A member that is an orchestration. It works inside the step of its call, so it has no run of its own: the steps of its members are below that
// step, and the run's cancel, budget and limits hold for them. Its version is chosen once, in a step, so a process that takes the run over continues
// the same version. Must never happen: a member called twice because another version serves since.
import { default_timeout_seconds, type OrchestrationMember } from '@gantry/project/orchestration-yaml.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { textOfOutput } from '../../invoke/streams/text-of-output.ts';
import { spentByRun } from '../../../models/ledger/spending.ts';
import { findAssetsCalledBy, findVersionById } from '../../../assets/registry/find.ts';
import { admitMember } from './admit-member.ts';
import { placedAt, atPointer } from './at-pointer.ts';
import { outputAt, type MemberCall } from './call-member.ts';
import { version_step } from '../runs/choice.ts';
import { withTime } from '../runs/deadline.ts';
import { chainOf, type Level } from '../level.ts';
import { loadOrchestration } from '../load-orchestration.ts';
import { memberRef } from './member-ref.ts';
import { wantedBy } from './wanted-target.ts';
import type { MemberAnswer, OrchestrationResult, OrchestrationRun } from '../runs/orchestration-run.ts';
import type { OrchestrationParts } from '../parts.ts';
import { ends_the_run, failedInside, max_answer_bytes, failed } from './read-member-answer.ts';

/** What the step of the version remembers. */
interface Chosen {
  id: string;
  version_id: string;
  version: string;
  digest: string;
  deadline_at: string;
  /** How long the run had waited for people then. Absent: before runs waited. */
  waited_ms?: number;
  spent_before: number;
}

type Work = (run: OrchestrationRun, level: Level) => Promise<OrchestrationResult>;

/** `work` runs an orchestration. Throws as callMember, and `call_loop` or `too_many_calls` for a chain that is a circle or too long. */
export async function callOrchestration(
  parts: OrchestrationParts,
  { step, level, work }: { step: OrchestrationRun; level: Level; work: Work },
  { path, member, input, is_callers }: MemberCall,
): Promise<MemberAnswer> {
  const { db } = parts.ingress;
  const ref = memberRef(member);
  const chosen = await step.step(version_step, async (run) => await choose(parts, { run, level }, member));
  const { config, asset_ids } = await loadOrchestration(db, chosen.version_id);
  const { budget_usd } = config;
  const inner: Level = {
    config,
    asset_ids,
    self: { id: chosen.id, ref },
    outer: chainOf(level),
    prefix: `${path}/`,
    input: given(member, input),
    is_callers,
    budgets: [
      ...level.budgets,
      ...(budget_usd === undefined ? [] : [{ ref, budget_usd, spent_before: chosen.spent_before }]),
    ],
    targets: [...level.targets, ...wantedBy(ref, config)],
    whole: level.whole,
  };
  const waited_ms = step.waited_ms - (chosen.waited_ms ?? 0);
  const left = {
    ms: Date.parse(chosen.deadline_at) + waited_ms - Date.now(),
    problem: () => new Problem('run_timeout'),
  };
  let result: OrchestrationResult;
  try {
    result = await withTime(step, left, async (timed) => await work(timed, inner));
  } catch (error) {
    // What stopped the run or this call has its own words.
    if (!(error instanceof Problem) || step.signal.aborted) throw error;
    if (error.code !== 'run_timeout' && ends_the_run.includes(error.code)) throw error;
    throw failedInside(ref, error, is_callers);
  }
  const { status, output: said } = result;
  if (Buffer.byteLength(JSON.stringify(said)) > max_answer_bytes)
    throw failed(ref, `its answer is larger than ${max_answer_bytes / 1024 ** 2} MB`);
  const output = outputAt(member, said);
  return {
    member: member.name,
    agent: ref,
    run_id: null,
    revision_id: null,
    version: chosen.version,
    digest: chosen.digest,
    text: textOfOutput(output),
    output,
    ...(status === 'partial' && { is_partial: true }),
  };
}

/** An orchestration takes a text as it is, and puts it into the inputs of its members. */
function given({ input: pointer }: OrchestrationMember, input: unknown): unknown {
  if (pointer === undefined) return input;
  const hasPlace = typeof input === 'object' && atPointer(input, pointer) !== undefined;
  return hasPlace ? input : placedAt(pointer, textOfOutput(input));
}

async function choose(
  parts: OrchestrationParts,
  { run, level }: { run: OrchestrationRun; level: Level },
  member: OrchestrationMember,
): Promise<Chosen> {
  const { db } = parts.ingress;
  const { asset, serving } = await admitMember(parts, { run, level, member }, async (by, asset_id) => {
    const [found] = await findAssetsCalledBy(db, [asset_id], by);
    const id = found?.serving_version_id ?? null;
    const version = id === null ? undefined : await findVersionById(db, id);
    // It has no allowed_callers of its own, and none of its members is asked here.
    return { asset: found, serving: version && { ...version, allowed_teams: undefined, desired: 'running' } };
  });
  const { config } = await loadOrchestration(db, serving.id);
  const { timeout_seconds = default_timeout_seconds } = config;
  return {
    id: asset.id,
    version_id: serving.id,
    version: serving.version,
    digest: serving.digest,
    deadline_at: new Date(Date.now() + timeout_seconds * 1000).toISOString(),
    waited_ms: run.waited_ms,
    spent_before: config.budget_usd === undefined ? 0 : await spentByRun(db, run.id),
  };
}
