// One call of a member that is an agent.
import type { OrchestrationMember } from '@gantry/contract/orchestration-yaml.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { noRequest } from '../access/caller.ts';
import { requireCallableBy } from '../deploy/require-callable.ts';
import { servingInputs, type ServingInput } from '../deploy/serving-inputs.ts';
import { answeringRevision, type Admitted } from '../invoke/admit.ts';
import { callThrough } from '../invoke/call-through.ts';
import { textOfOutput } from '../invoke/text-of-output.ts';
import { admitMember, refuseOtherVersion } from './admit-member.ts';
import { atPointer } from './at-pointer.ts';
import { chainOf, type Level } from './level.ts';
import { into } from './member-input.ts';
import { memberRunId } from './member-id.ts';
import { memberRef } from './member-ref.ts';
import type { Json, MemberAnswer, OrchestrationRun } from './orchestration-run.ts';
import type { OrchestrationParts } from './parts.ts';
import { failed, readMemberAnswer, runStatusOf } from './read-member-answer.ts';
import { spanIdOf } from './record-run.ts';
import { untilRestarted } from './until-restarted.ts';

export interface MemberCall {
  /** The whole one, in the run. */
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
  level: Level,
  { path, member, input, is_callers }: MemberCall,
): Promise<MemberAnswer> {
  const ref = memberRef(member);
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
        const admit = async () => await admitAgent(parts, { run: step, level }, member);
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
    const output = outputAt(member, readMemberAnswer(ref, answer, is_callers));
    const text = textOfOutput(output);
    return { member: member.name, agent: ref, run_id: id, revision_id, version, digest, text, output };
  }
}

/** The part of its answer that the file names. Throws `member_failed` without one. */
export function outputAt(member: OrchestrationMember, said: unknown): Json {
  const output = (member.output === undefined ? said : atPointer(said, member.output)) as Json | undefined; // a part of parsed JSON
  if (output !== undefined) return output;
  const why = `its output has nothing at ${member.output ?? ''}, as \`output\` of ${member.name} says`;
  throw failed(memberRef(member), why);
}

async function admitAgent(
  parts: OrchestrationParts,
  of: { run: OrchestrationRun; level: Level },
  member: OrchestrationMember,
): Promise<Admitted> {
  const { run, level } = of;
  const { id } = level.self;
  const asset_id = level.asset_ids.get(memberRef(member));
  const { agent, serving } = asset_id === undefined ? nobody : await parts.ingress.agents.member({ id }, asset_id);
  const { user, asset } = await admitMember(parts, of, {
    member,
    asset: agent,
    require: (by, callee) => requireCallableBy(by, callee, serving),
  });
  if (serving === undefined) throw new Problem('not_deployed', { detail: `${asset.ref} is not deployed.` });
  refuseOtherVersion(member, serving.version);
  const revision = answeringRevision(asset, serving);
  const { hidden } = serving;
  const through = { root_run_id: run.id, chain: chainOf(level) };
  const again = async () => await admitAgent(parts, of, member);
  return { user, through, agent: asset, revision, hidden, again };
}

const nobody = { agent: undefined, serving: undefined };

async function servingInput({ ingress: { db } }: OrchestrationParts, { agent }: Admitted): Promise<ServingInput> {
  const [serving] = await servingInputs(db, [agent.id]);
  if (serving === undefined) throw new Problem('not_deployed', { detail: `${agent.ref} is not deployed.` });
  return serving;
}
