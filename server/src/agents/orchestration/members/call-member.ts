// One call of a member that is an agent.
import type { OrchestrationMember } from '@gantry/project/orchestration-yaml.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { noRequest } from '../../../governance/access/caller.ts';
import { servingInputs, type ServingInput } from '../../deploy/serving/serving-inputs.ts';
import { answeringRevision, type Admitted } from '../../invoke/admit.ts';
import type { Answer } from '../../invoke/answer.ts';
import { callThrough } from '../../invoke/calls/call-through.ts';
import { textOfOutput } from '../../invoke/streams/text-of-output.ts';
import { nameThread } from '../../invoke/turns.ts';
import { answerTo, type Question } from '../../memory/inbox/answer-run.ts';
import { RunWaits } from '../../../ground/runs/run.ts';
import { admitMember } from './admit-member.ts';
import { atPointer } from './at-pointer.ts';
import { chainOf, type Level } from '../level.ts';
import { into } from './member-input.ts';
import { memberRunId } from './member-id.ts';
import { memberRef } from './member-ref.ts';
import type { Json, MemberAnswer, OrchestrationRun } from '../runs/orchestration-run.ts';
import type { OrchestrationParts } from '../parts.ts';
import { failed, readMemberAnswer, runStatusOf, threadThatWaits } from './read-member-answer.ts';
import { spanIdOf } from '../runs/record-run.ts';
import { untilRestarted } from './until-restarted.ts';
import { refuseElsewhere } from './wanted-target.ts';

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
 * `step` is the step of this call. Throws the refusal, `member_failed`, `member_waits`, `member_changed`, `mapping_needed`, `invalid` for
 * an input of the caller that the member refuses, or `RunWaits` while a person is to answer.
 */
export async function callMember(
  parts: OrchestrationParts,
  step: OrchestrationRun,
  level: Level,
  { path, member, input, is_callers }: MemberCall,
): Promise<MemberAnswer> {
  const ref = memberRef(member);
  let done = await callOnce(parts, { step, level, member }, path, (sent) => {
    const { schema = null, required = null, keeps_threads = true } = sent.input ?? {};
    const fitted = into({ ref, pointer: member.input, schema, required }, input);
    // A member without threads would refuse it.
    const thread_id = keeps_threads ? step.input.thread_id : null;
    return { input: fitted, ...(thread_id && { thread_id }) };
  });
  const earlier: string[] = [];
  for (let n = 1; ; n++) {
    const thread_id = threadThatWaits(done.answer);
    if (thread_id === undefined) break;
    const asks = { run_id: step.id, path, n };
    const { value, checkpoint_id } = await answerOfPerson(parts, { step, level, member }, asks, thread_id);
    earlier.push(done.run_id);
    const answered = () => ({ thread_id, resume: value });
    done = await callOnce(parts, { step, level, member }, `${path}?${n}`, answered, { path, expects: checkpoint_id });
  }
  const { run_id, sent, answer } = done;
  const { revision_id = null, version = null, digest = null } = sent ?? {};
  const output = outputAt(member, readMemberAnswer(ref, answer, is_callers));
  const text = textOfOutput(output);
  return {
    member: member.name,
    agent: ref,
    run_id,
    ...(earlier.length > 0 && { earlier_run_ids: earlier }),
    revision_id,
    version,
    digest,
    text,
    output,
  };
}

interface Member {
  step: OrchestrationRun;
  level: Level;
  member: OrchestrationMember;
}

/** `key` is of this call alone. `path` and `expects` are of a call with the answer of a person. */
async function callOnce(
  parts: OrchestrationParts,
  { step, level, member }: Member,
  key: string,
  bodyOf: (sent: ServingInput) => object,
  { path = key, expects }: { path?: string; expects?: string } = {},
): Promise<{ run_id: string; sent: ServingInput | undefined; answer: Answer }> {
  const origin = { ...noRequest(), ...step.input.origin };
  let sent: ServingInput | undefined;
  let begun = 0;
  for (let attempt = 1; ; attempt++) {
    const run_id = memberRunId(step.id, key, attempt);
    const answer = await callThrough(parts.ingress, {
      id: run_id,
      trace: { ...step.input.trace, parent_id: spanIdOf(step.id) },
      origin,
      signal: step.signal,
      listener: parts.readers.of(step.id)?.listener(path, run_id),
      expects,
      onStays: () => step.notice(`${member.name} was cancelled, and may still run.`),
      admit: async () => {
        const admit = async () => await admitAgent(parts, { run: step, level }, member);
        const admitted = await (attempt === 1 ? admit() : untilRestarted(step.signal, admit));
        sent = await servingInput(parts, admitted);
        await refuseElsewhere(parts.ingress.db, level.targets, { ref: admitted.agent.ref, serving: sent });
        return { admitted, body: Buffer.from(JSON.stringify(bodyOf(sent))) };
      },
    });
    const status = runStatusOf(answer);
    if (status === 'not_begun' && attempt < most_attempts) continue;
    begun++;
    if (member.retry === true && begun < most_begun && (status === 'interrupted' || status === 'unknown')) continue;
    return { run_id, sent, answer };
  }
}

/** Throws `RunWaits` until somebody has answered, and `member_waits` for a thread that the service does not keep. */
async function answerOfPerson(
  { ingress }: OrchestrationParts,
  { step, level, member }: Member,
  asks: Question,
  thread_id: string,
): Promise<{ value: unknown; checkpoint_id: string }> {
  const ref = memberRef(member);
  const agent_id = level.asset_ids.get(ref);
  if (agent_id === undefined) throw new Error(`${ref} has no id`);
  const thread = nameThread({ agent_id, owner_id: step.actor.user_id, chain: chainOf(level) }, thread_id);
  const known = await answerTo(ingress, asks, thread);
  if (known.state === 'answered') return known;
  if (known.state === 'waits') throw new RunWaits(`${ref} waits for a person`);
  throw new Problem('member_waits', {
    detail: `${ref} waits for a person, and the service has no thread of it to continue.`,
    hint: 'Deploy the agent again, so that the service keeps its threads, or call the agent itself.',
  });
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
  const { agents } = parts.ingress;
  const { user, through, asset, serving } = await admitMember(parts, { ...of, member }, async (by, asset_id) => {
    const found = await agents.member(by, asset_id);
    return { asset: found.agent, serving: found.serving };
  });
  const revision = answeringRevision(asset, serving);
  const again = async () => await admitAgent(parts, of, member);
  return { user, through, agent: asset, revision, hidden: serving.hidden, again };
}

async function servingInput({ ingress: { db } }: OrchestrationParts, { agent }: Admitted): Promise<ServingInput> {
  const [serving] = await servingInputs(db, [agent.id]);
  if (serving === undefined) throw new Problem('not_deployed', { detail: `${agent.ref} is not deployed.` });
  return serving;
}
