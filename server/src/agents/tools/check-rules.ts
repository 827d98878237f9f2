// The rules of a server's config and of agent.yaml about one call. Both must let it pass, and each of them can want a person.
import { flowOf } from '@gantry/project/data-flow.ts';
import type { OrgSettings } from '@gantry/contract/people/org.ts';
import type { ListedTool } from '../../assets/registry/tool-lists/tool-list.ts';
import { exposureOf, type Exposure } from '../delegated-calls/exposure.ts';
import { policiesFor, readRun, strictest, type Wait } from '@gantry/project/call-rules/decide-call.ts';
import type { CallFacts } from '@gantry/project/call-rules/expression.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { EndCaller } from '../../governance/access/caller.ts';
import type { ToolCaller } from './admit-call.ts';
import type { UsableServer } from './find-tools.ts';
import type { ToolParts } from './parts.ts';

interface CheckedCall {
  caller: ToolCaller;
  tool: string;
  arguments: Record<string, unknown>;
}

const nothing: Exposure = { private_data: false, outside_text: false };
const after_reading: Wait = { of: ['the organisation (approve_outgoing_after)'], by_other: false, hours: 24 };

function isAfter(after: OrgSettings['approve_outgoing_after'], { private_data, outside_text }: Exposure): boolean {
  if (after === 'never') return false;
  return after === 'both' ? private_data && outside_text : { private_data, outside_text }[after];
}

export class RuleRefused extends Problem {
  /** Whose rule it is, and its name. */
  readonly rule: string;

  constructor({ of, name, because, fault }: { of: string; name: string; because: string; fault?: string }) {
    const failed = fault === undefined ? '' : ` The rule could not be evaluated (${fault}), so it refuses.`;
    super('rule_refused', { detail: `${because} This is the rule ${name} of ${of}.${failed}` });
    this.rule = `${of} ${name}`;
  }
}

/** What a person must approve; undefined: nothing. Throws `RuleRefused`. */
export async function checkRules(
  { db, rules }: Pick<ToolParts, 'db' | 'rules'>,
  { caller, tool, arguments: args }: CheckedCall,
  {
    usable: { server, upstream },
    user,
    pinned,
    limits: { approve_outgoing_after },
  }: { usable: UsableServer; user: EndCaller; pinned: ListedTool; limits: Pick<OrgSettings, 'approve_outgoing_after'> },
): Promise<Wait | undefined> {
  const of = `${upstream.ref}@${server.version}`;
  const agent = caller.kind === 'agent' ? caller : undefined;
  const policies = policiesFor(tool, [
    { of, ...upstream.config },
    ...(agent === undefined ? [] : [{ of: agent.label, ...server.policy }]),
  ]);
  const isRead = approve_outgoing_after !== 'never' || readRun(policies);
  const run = isRead && agent?.run !== undefined ? await exposureOf(db, agent.run.root_run_id) : nothing;
  const facts: CallFacts = {
    args,
    tool,
    server: server.name,
    // Empty names are those of no agent, so a rule that asks for one still decides.
    agent: { name: agent?.name ?? '', team: agent?.team.name ?? '' },
    caller: { kind: user.kind, name: user.label, teams: user.memberships.map(({ team }) => team) },
    now: new Date(),
    run,
  };
  const { refused, waits } = await rules.decide({ policies, facts, charged_to: caller.id });
  if (refused !== undefined) throw new RuleRefused(refused);
  const isOutgoing = isAfter(approve_outgoing_after, run) && flowOf(upstream.config, pinned).sends_out;
  return isOutgoing ? strictest([waits, after_reading]) : waits;
}
