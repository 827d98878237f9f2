// One call of a member. Each decides anew: `use` of the end caller on the orchestration, `use` of the orchestration on the member, and
// allowed_callers against the orchestration's team. The end caller needs no `use` on the member.
import type { OrchestrationConfig, OrchestrationMember } from '@gantry/contract/orchestration-yaml.ts';
import { formatUsd, parseUsd } from '@gantry/contract/money.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { parseVersionRef } from '@gantry/contract/refs.ts';
import { authorize, Refusal } from '../access/authorize.ts';
import { noRequest, type SignedInCaller } from '../access/caller.ts';
import type { CallingAsset } from '../access/decide.ts';
import { requireCallableBy } from '../deploy/require-callable.ts';
import { servingInputs, type ServingInput } from '../deploy/serving-inputs.ts';
import { answeringRevision, type Admitted } from '../invoke/admit.ts';
import { loadEndCaller } from '../invoke/end-caller.ts';
import { callThrough } from '../invoke/call-through.ts';
import { textOfOutput } from '../invoke/text-of-output.ts';
import { spentByRun } from '../ledger/spending.ts';
import type { AssetRecord } from '../registry/find.ts';
import { atPointer } from './at-pointer.ts';
import { agentRef } from './agent-ref.ts';
import type { Orchestration } from './load-orchestration.ts';
import { into } from './member-input.ts';
import { memberRunId } from './member-id.ts';
import type { Json, MemberAnswer, OrchestrationRun } from './orchestration-run.ts';
import type { OrchestrationParts } from './parts.ts';
import { failed, readMemberAnswer, runStatusOf } from './read-member-answer.ts';
import { spanIdOf } from './record-run.ts';
import { untilRestarted } from './until-restarted.ts';

export interface MemberCall {
  path: string;
  member: OrchestrationMember;
  input: unknown;
  /** The input is the caller's, so the caller corrects it. */
  is_callers: boolean;
}

const most_begun = 2;
/** A call that no container began is sent again. Each attempt decides anew. */
const most_attempts = 10;

/**
 * `step` is the step of this call. Throws the refusal, `member_failed`, `member_waits`, `member_changed`, `mapping_needed`, or `invalid` for
 * an input of the caller that the member refuses.
 */
export async function callMember(
  parts: OrchestrationParts,
  step: OrchestrationRun,
  orchestration: Orchestration,
  call: MemberCall,
): Promise<MemberAnswer> {
  const { timeout_seconds } = call.member;
  if (timeout_seconds === undefined) return await callInTime(parts, step, orchestration, call);
  const late = new AbortController();
  const why = `it has not answered in ${timeout_seconds} s`;
  const overdue = () => late.abort(failed(agentRef(call.member), why, { code: 'member_timeout', status: 504 }));
  const timer = setTimeout(overdue, timeout_seconds * 1000);
  try {
    const signal = AbortSignal.any([step.signal, late.signal]);
    return await callInTime(parts, { ...step, signal }, orchestration, call);
  } finally {
    clearTimeout(timer);
  }
}

async function callInTime(
  parts: OrchestrationParts,
  step: OrchestrationRun,
  { config, asset_ids }: Orchestration,
  { path, member, input, is_callers }: MemberCall,
): Promise<MemberAnswer> {
  const ref = agentRef(member);
  const origin = { ...noRequest(), ...step.input.origin };
  let sent: ServingInput | undefined;
  let begun = 0;
  for (let attempt = 1; ; attempt++) {
    const id = memberRunId(step.id, path, attempt);
    const answer = await callThrough(parts.ingress, {
      id,
      trace: { ...step.input.trace, parent_id: spanIdOf(step.id) },
      origin,
      signal: step.signal,
      listener: parts.readers.of(step.id)?.listener(path, id),
      onStays: () => step.notice(`${member.name} was cancelled, and may still run.`),
      admit: async () => {
        const admit = async () => await admitMember(parts, step, { config, asset_id: asset_ids.get(ref), member });
        const admitted = await (attempt === 1 ? admit() : untilRestarted(step.signal, admit));
        sent = await servingInput(parts, admitted);
        const { schema = null, required = null, keeps_threads = true } = sent.input ?? {};
        const fitted = into({ ref, pointer: member.input, schema, required }, input);
        // A member without threads would refuse it.
        const thread_id = keeps_threads ? step.input.thread_id : null;
        return { admitted, body: Buffer.from(JSON.stringify({ input: fitted, ...(thread_id && { thread_id }) })) };
      },
    });
    const status = runStatusOf(answer);
    if (status === 'not_begun' && attempt < most_attempts) continue;
    begun++;
    if (member.retry === true && begun < most_begun && (status === 'interrupted' || status === 'unknown')) continue;
    const { revision_id = null, version = null, digest = null } = sent ?? {};
    const said = readMemberAnswer(ref, answer, is_callers);
    const output = (member.output === undefined ? said : atPointer(said, member.output)) as Json | undefined; // a part of parsed JSON
    if (output === undefined)
      throw failed(ref, `its output has nothing at ${member.output ?? ''}, as \`output\` of ${member.name} says`);
    return {
      member: member.name,
      agent: ref,
      run_id: id,
      revision_id,
      version,
      digest,
      text: textOfOutput(output),
      output,
    };
  }
}

async function admitMember(
  parts: OrchestrationParts,
  step: OrchestrationRun,
  called: { config: OrchestrationConfig; asset_id: string | undefined; member: OrchestrationMember },
): Promise<Admitted> {
  const { config, asset_id, member } = called;
  const caller = { id: step.input.orchestration_id };
  const [{ user, asset }, { agent, serving }] = await Promise.all([
    endCaller(parts, step),
    asset_id === undefined ? nobody : parts.ingress.agents.member(caller, asset_id),
    refuseOverBudget(parts, step.id, config),
  ]);
  const { id, ref, name, team } = asset;
  const by: CallingAsset = { kind: 'orchestration', id, ref, name, team };
  try {
    authorize(user, 'asset.invoke', asset);
    if (agent === undefined)
      throw new Problem('member_changed', {
        detail: `${member.ref} of ${member.name} was deleted.`,
        hint: 'Push the orchestration again, so that it names the new agent.',
      });
    requireCallableBy(by, agent, serving);
  } catch (error) {
    if (error instanceof Refusal) await parts.recordRefusal(user, error);
    throw error;
  }
  refuseOtherVersion(member, serving.version);
  const revision = answeringRevision(agent, serving);
  const { hidden } = serving;
  const through = { root_run_id: step.id, chain: [{ id: by.id, ref: by.ref }] };
  const again = async () => await admitMember(parts, step, called);
  return { user, through, agent, revision, hidden, again };
}

const nobody = { agent: undefined, serving: undefined };

/** The end caller and the orchestration, as they are now. */
async function endCaller(
  { ingress: { db } }: OrchestrationParts,
  { input, actor }: Pick<OrchestrationRun, 'input' | 'actor'>,
): Promise<{ user: SignedInCaller; asset: AssetRecord }> {
  return await loadEndCaller(db, {
    caller_id: actor.user_id,
    account: `The account ${actor.name}`,
    first: { id: input.orchestration_id, ref: `orchestrations/${input.name}` },
    origin: { ...noRequest(), ...input.origin },
  });
}

async function refuseOverBudget(
  { ingress: { db } }: OrchestrationParts,
  run_id: string,
  { budget_usd }: OrchestrationConfig,
) {
  if (budget_usd === undefined) return;
  const spent = await spentByRun(db, run_id);
  if (spent < parseUsd(budget_usd)) return;
  throw new Problem('budget_exceeded', {
    detail: `The models of this run have cost ${formatUsd(spent)}, and its \`budget_usd\` is ${budget_usd}.`,
  });
}

async function servingInput({ ingress: { db } }: OrchestrationParts, { agent }: Admitted): Promise<ServingInput> {
  const [serving] = await servingInputs(db, [agent.id]);
  if (serving === undefined) throw new Problem('not_deployed', { detail: `${agent.ref} is not deployed.` });
  return serving;
}

function refuseOtherVersion({ name, ref }: OrchestrationMember, version: string): void {
  const wanted = parseVersionRef(ref)?.version ?? version;
  if (version === wanted) return;
  throw new Problem('member_changed', {
    detail: `${name} is ${ref}, and version ${version} serves now.`,
    hint: `Deploy ${ref}, or push the orchestration with another version of it.`,
  });
}
