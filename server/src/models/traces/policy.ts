// Who reads a span, and who reads its content. Beside the first rule is its SQL condition.
import type { SignedInCaller } from '../../governance/access/caller.ts';
import { canRead, decide, whereCanRead } from '../../governance/access/decide.ts';
import type { AssetSubject } from '../../governance/access/subject.ts';
import { sql, type Sql } from '../../ground/database/sql.ts';
import type { SpanOwner } from './span.ts';

type Owner = Pick<SpanOwner, 'agent_id' | 'team_id' | 'caller_id'>;

/** A span of an agent is for its readers. A call to a model without an agent is for its caller and for admins of the paying team. */
export function readsSpan(caller: SignedInCaller, span: Owner, agent: AssetSubject | undefined): boolean {
  if (isPlatformAdmin(caller)) return true;
  if (span.agent_id !== null) return agent !== undefined && canRead(caller, agent);
  return span.caller_id === caller.id || administeredBy(caller).some((id) => id === span.team_id);
}

/** readsSpan() as a condition on `span s` and `left join asset a`. */
export function whereReadsSpan(caller: SignedInCaller): Sql {
  if (isPlatformAdmin(caller)) return sql`true`;
  return sql`(case when s.agent_id is not null then a.id is not null and ${whereCanRead(caller)}
    else s.caller_id = ${caller.id} or s.team_id = any(${administeredBy(caller)}::uuid[]) end)`;
}

/** Input and output are for the one who called, while they may still call, and for admins of the agent. */
export function readsContent(caller: SignedInCaller, span: Owner, agent: AssetSubject | undefined): boolean {
  const isCaller = span.caller_id === caller.id;
  if (agent === undefined) return span.agent_id === null && isCaller;
  if (isCaller && decide(caller, 'asset.invoke', agent).allowed) return true;
  return decide(caller, 'trace.read_content', agent).allowed;
}

function isPlatformAdmin(caller: SignedInCaller): boolean {
  return caller.kind === 'user' && caller.role === 'admin';
}

function administeredBy({ memberships }: SignedInCaller): string[] {
  return memberships.filter(({ role }) => role === 'admin').map(({ team_id }) => team_id);
}
