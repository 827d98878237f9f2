// A call that a person must approve. Promises: an approval is for this caller, this revision of the agent, this tool of this version of the server, with
// exactly these arguments, under the policy and the text of the tool that the person saw. It is used up before the call goes out, so it never lets two
// out. Who has approved must still be allowed to. An agent does not wait here: it gets an answer at once, and asks again.
import { randomUUID } from 'node:crypto';
import type { Wait } from '@gantry/project/call-rules/decide-call.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { EndCaller } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import { theOrg } from '../../../governance/access/subject.ts';
import { digestOf } from '../../../assets/registry/content.ts';
import { findAssetById } from '../../../assets/registry/find.ts';
import type { ListedTool } from '../../../assets/registry/tool-lists/tool-list.ts';
import { loadIdentity } from '../../../people/service-principals/load-caller.ts';
import type { ToolCaller } from '../admit-call.ts';
import type { UsableServer } from '../find-tools.ts';
import type { ToolParts } from '../parts.ts';
import { sealArguments } from './arguments.ts';
import * as store from './approval-store.ts';
import { authorizeDecision } from './may-decide.ts';

export interface CallToApprove {
  call_id: string;
  caller: ToolCaller;
  user: EndCaller;
  usable: UsableServer;
  pinned: ListedTool;
  arguments: Record<string, unknown>;
  wait: Wait;
}

/** A hostile agent must not hide one call among thousands. */
const most_waiting = 50;

/** The id of the approval, which is used up. Throws `call_waits`, `call_rejected` or `too_many_requests`. */
export async function takeApproval(parts: ToolParts, call: CallToApprove): Promise<string> {
  const { db } = parts;
  const binding = bindingOf(call);
  const open = await store.findOpen(db, binding);
  if (open?.state === 'rejected') throw rejected(call, open);
  if (open?.state === 'waiting') throw waits(parts, call, open);
  if (open !== undefined) {
    if (!(await isStillAllowed(parts, call, open))) await store.annul(db, open.id);
    else if (await store.use(db, { id: open.id, call_id: call.call_id })) return open.id;
  }
  await ask(parts, call, binding);
  const asked = await store.findOpen(db, binding);
  if (asked === undefined) throw new Error('a call that was asked for is not there');
  throw waits(parts, call, asked);
}

function bindingOf({ caller, user, usable: { server }, pinned, arguments: args }: CallToApprove): store.Binding {
  return {
    revision_id: caller.kind === 'agent' ? caller.revision_id : null,
    caller_id: user.id,
    server_id: server.asset_id,
    server_version: server.version,
    tool: pinned.name,
    arguments_digest: digestOf(args),
    policy_digest: digestOf({ config: server.config, policy: server.policy, tool: pinned }),
  };
}

async function isStillAllowed(
  { db }: ToolParts,
  { caller, usable: { server } }: CallToApprove,
  { decided_by, ...about }: store.OpenApproval,
): Promise<boolean> {
  const person = decided_by === null ? undefined : await loadIdentity(db, decided_by, caller.origin);
  const asset = person && (await findAssetById(db, server.asset_id, person));
  if (person === undefined || asset === undefined) return false;
  try {
    authorizeDecision(person, asset, about);
    return true;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

async function ask(
  { db, envelope }: ToolParts,
  { caller, user, usable: { server, upstream }, pinned, arguments: args, wait }: CallToApprove,
  binding: store.Binding,
): Promise<void> {
  const agent = caller.kind === 'agent' ? caller : undefined;
  if ((await store.countWaiting(db, { agent_id: agent?.id ?? null, caller_id: user.id })) >= most_waiting)
    throw new Problem('too_many_requests', {
      detail: `${most_waiting} calls of ${caller.label} wait for a person already.`,
      hint: 'Ask again when some of them are decided.',
    });
  const id = randomUUID();
  const sealed = await sealArguments(envelope, id, args);
  const through = agent === undefined ? [] : [agent.label, ...(agent.run?.chain ?? []).map(({ ref }) => ref)];
  const asked = { id, agent_id: agent?.id ?? null, caller: user.label, through, arguments: sealed, wanted_by: wait.of };
  const grant =
    agent === undefined ? authorize(caller, 'asset.invoke', upstream.asset) : authorize(agent, 'tool.call', theOrg);
  await change(db, grant, 'call.asked', async (tx, note) => {
    const isNew = await store.ask(tx, { ...binding, ...asked, by_other: wait.by_other, hours: wait.hours });
    if (!isNew) return;
    const { arguments_digest } = binding;
    const about = {
      call: id,
      tool: pinned.name,
      version: server.version,
      arguments_digest,
      caller: user.label,
      through,
    };
    note({ ...about, wanted_by: wait.of, hours: wait.hours }, { asset: upstream.ref, team: upstream.asset.team.name });
  });
}

function waits(
  { base_url }: ToolParts,
  { usable: { upstream }, pinned }: CallToApprove,
  { id, expires_at }: store.OpenApproval,
): Problem {
  return new Problem('call_waits', {
    detail: `The call of ${pinned.name} of ${upstream.ref} was not made. It waits at ${base_url()}/inbox (${id}), until ${expires_at}.`,
    hint: 'Make the same call with the same arguments again, after the approval.',
  });
}

function rejected({ pinned }: CallToApprove, { decided_by_label, note, expires_at }: store.OpenApproval): Problem {
  const why = note === null || note === '' ? '' : ` They say: ${note}`;
  return new Problem('call_rejected', {
    detail: `${decided_by_label ?? 'A person'} has rejected this call of ${pinned.name}.${why}`,
    hint: `The same call is refused until ${expires_at}.`,
  });
}
