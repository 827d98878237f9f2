// The rules of a server's config and of agent.yaml about one call. Both must let it pass, and each of them can want a person.
import { policiesFor, type Wait } from '@gantry/project/call-rules/decide-call.ts';
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
  { rules }: Pick<ToolParts, 'rules'>,
  { caller, tool, arguments: args }: CheckedCall,
  { usable: { server, upstream }, user }: { usable: UsableServer; user: EndCaller },
): Promise<Wait | undefined> {
  const of = `${upstream.ref}@${server.version}`;
  const agent = caller.kind === 'agent' ? caller : undefined;
  const policies = policiesFor(tool, [
    { of, ...upstream.config },
    ...(agent === undefined ? [] : [{ of: agent.label, ...server.policy }]),
  ]);
  const facts: CallFacts = {
    args,
    tool,
    server: server.name,
    // Empty names are those of no agent, so a rule that asks for one still decides.
    agent: { name: agent?.name ?? '', team: agent?.team.name ?? '' },
    caller: { kind: user.kind, name: user.label, teams: user.memberships.map(({ team }) => team) },
    now: new Date(),
  };
  const { refused, waits } = await rules.decide({ policies, facts, charged_to: caller.id });
  if (refused !== undefined) throw new RuleRefused(refused);
  return waits;
}
