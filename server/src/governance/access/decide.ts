// The decision: pure, on values. Order of checks, one reason each (decisions.md): signed in → visible → role → ACL → state. A refusal must
// never reveal to a stranger that something exists. A list loads candidates from the database and decides each of them here. Beside each
// rule is the SQL condition for its candidates. The condition may accept more than the rule, but never less; narrowing.test.ts checks that.
import { targetFlag } from '@gantry/project/agent-yaml.ts';
import type { ProblemCode } from '@gantry/contract/problems.ts';
import {
  assetKinds,
  isAtLeast,
  operations,
  type Action,
  type Operation,
  type ReadingRight,
  type Role,
  type Rule,
} from '@gantry/contract/roles.ts';
import { globMatches } from '@gantry/contract/people/asset-globs.ts';
import { printRef } from '@gantry/contract/refs.ts';
import { sql, type Sql } from '../../ground/database/sql.ts';
import { isReached } from './allowed-assets.ts';
import type { Caller, ServicePrincipalCaller, SignedInCaller } from './caller.ts';
import { describeGrant, grantFor, howToGet } from './reading.ts';
import type { AssetSubject, DeploySubject, Entry, Gate, Subject } from './subject.ts';

export type Decision = Allowed | Refused;

export interface Allowed {
  allowed: true;
  /** The deciding entry or rule, in words. */
  because: string;
  /** Set if an admin skipped a requirement for others; the audit log shows it. */
  bypass?: 'acl' | 'approval';
}

interface Refused {
  allowed: false;
  code: ProblemCode;
  reason: string;
  hint?: string;
}

export function decide(caller: Caller, operation: Operation, subject: Subject): Decision {
  const rule: Rule = operations[operation];
  if (rule.on === 'anyone') return allowed('anyone may');
  if (caller.kind === 'system') return decideSystem(caller.operation, operation, rule);
  if (caller.kind === 'anonymous') return refused('unauthenticated', 'Sign-in is needed for this.');
  if (rule.on === 'key')
    return caller.kind === 'key' ? allowed('a gateway key') : refused('forbidden', 'Only a gateway key does this.');
  if (caller.kind === 'key')
    return refused('forbidden', 'A gateway key calls models and sends spans, and nothing else.');
  if (rule.on === 'agent')
    return caller.kind === 'agent'
      ? allowed('a run of an agent')
      : refused('forbidden', 'Only a run of an agent does this.');
  if (caller.kind === 'agent')
    return refused('forbidden', 'An agent calls its subagents and keeps its memory, and nothing else.');
  switch (rule.on) {
    case 'signed_in':
      if (isForOthers(rule, caller)) return refused('forbidden', people_only);
      return allowed('every signed-in principal may');
    case 'org':
      return decideOrg(caller, rule);
    case 'team':
      return decideTeam(caller, rule, subject);
    case 'asset':
      return decideAsset(caller, rule, subject);
    case 'system':
      return refused('forbidden', 'Only the service itself does this.');
  }
}

export interface Roles {
  /** Platform role. */
  role: Role;
  memberships: readonly { team_id: string; role: Role }[];
}

/** The higher of the platform role and the role in the team. */
export function effectiveRole({ role, memberships }: Roles, team_id: string): Role {
  const inTeam = memberships.find((membership) => membership.team_id === team_id)?.role;
  return inTeam !== undefined && isAtLeast(inTeam, role) ? inTeam : role;
}

export function isMember(caller: SignedInCaller, team_id: string): boolean {
  return caller.memberships.some((membership) => membership.team_id === team_id);
}

export function canRead(caller: Caller, asset: AssetSubject): boolean {
  return decide(caller, 'asset.read', asset).allowed;
}

/** canRead() as a condition on `asset a`. */
export function whereCanRead(caller: SignedInCaller): Sql {
  const reads = sql`exists (select from permission p where p.asset_id = a.id and 'read' = any(p.actions) and ${whereCovers(caller)})`;
  if (caller.kind === 'principal') return sql`(${reads} and ${whereReached(caller)})`;
  if (caller.role === 'admin') return sql`true`;
  const administered = caller.memberships.filter(({ role }) => role === 'admin').map(({ team_id }) => team_id);
  return sql`(a.team_id = any(${administered}) or ${reads})`;
}

// isReached() on `asset a`.
function whereReached(caller: ServicePrincipalCaller): Sql {
  // A reference has two segments. Names and patterns contain no special character of `like`.
  const patterns = caller.allowed_assets.map((pattern) => pattern.replaceAll('*', '%').split('/'));
  const either = patterns.map(([segment = '', name = '']) => {
    const kinds = assetKinds.filter((kind) =>
      globMatches(`${segment.replaceAll('%', '*')}/*`, printRef({ kind, name: 'x' })),
    );
    return sql`(a.kind = any(${kinds}) and a.name like ${name})`;
  });
  return either.reduce((one, other) => sql`(${one} or ${other})`, sql`false`);
}

function decideSystem(carried: Operation, operation: Operation, rule: Rule): Decision {
  if (carried === operation && rule.on === 'system') return allowed(rule.reason);
  return refused('forbidden', 'The service does this only for a caller.');
}

function decideOrg(caller: SignedInCaller, rule: Extract<Rule, { on: 'org' }>): Decision {
  const { role } = rule;
  if (isForOthers(rule, caller)) return refused('forbidden', people_only);
  if (isAtLeast(caller.role, role)) return allowed(`platform role ${caller.role}`);
  const grant = rule.or && grantFor(caller, rule.or, null);
  if (grant !== undefined) return allowed(describeGrant(grant, undefined));
  return refused(
    'forbidden',
    `This needs the platform role ${role}${orRight(rule)}; yours is ${caller.role}.`,
    rule.or === undefined ? 'Ask a platform admin.' : askFor(rule.or, caller, null),
  );
}

/** The caller's name in an ACL entry. */
export function principalOf(caller: SignedInCaller): string {
  return caller.kind === 'user' ? `user:${caller.email}` : caller.label;
}

function decideTeam(caller: SignedInCaller, rule: Extract<Rule, { on: 'team' }>, subject: Subject): Decision {
  const { role } = rule;
  const team = subject.kind === 'team' ? subject : subject.kind === 'asset' ? subject.team : undefined;
  if (team === undefined) throw new Error('a team operation needs a team as its subject');
  const admin = isAtLeast(caller.role, 'admin');
  // It shows a team to others than its members, so it comes before the check that the team is theirs.
  const grant = rule.or && grantFor(caller, rule.or, team.id);
  if (grant !== undefined) return allowed(describeGrant(grant, team.name));
  if (!isMember(caller, team.id) && !admin && subject.kind === 'team')
    return refused('not_found', 'You have no such team.');
  if (subject.kind === 'asset' && !canRead(caller, subject))
    return refused('not_found', 'There is nothing here that you may read.');
  if (isForOthers(rule, caller)) return refused('forbidden', people_only);
  if (subject.kind === 'team' && subject.creating !== undefined && !isReached(caller, subject.creating))
    return refused('forbidden', outOfReach(caller, subject.creating), 'Ask an admin of the team: svc principal update');
  const has = isMember(caller, team.id) || admin ? effectiveRole(caller, team.id) : 'viewer';
  if (isAtLeast(has, role)) return allowed(`role ${has} in team:${team.name}`);
  return refused(
    'forbidden',
    `This needs the role ${role} in team:${team.name}${orRight(rule)}; yours is ${has}.`,
    rule.or === undefined ? `Ask an admin of team:${team.name}.` : askFor(rule.or, caller, team.name),
  );
}

function askFor(right: ReadingRight, caller: SignedInCaller, team: string | null): string {
  const { whom, ask } = howToGet(right, principalOf(caller), team);
  // A service principal gets no grant on the log.
  if (caller.kind === 'principal' && right === 'read_audit') return `Ask ${whom}.`;
  return `Ask ${whom}: ${ask}`;
}

const orRight = ({ or }: { or?: ReadingRight }): string => (or === undefined ? '' : ` or the right ${or}`);

function decideAsset(caller: SignedInCaller, rule: Extract<Rule, { on: 'asset' }>, subject: Subject): Decision {
  if (subject.kind !== 'asset') throw new Error('an asset operation needs an asset as its subject');
  if (subject.entries_of !== undefined && subject.entries_of !== caller.id)
    throw new Error(`${subject.ref} was loaded for another caller than ${caller.label}`);
  if (!isReached(caller, subject.ref)) return refused('not_found', outOfReach(caller, subject.ref));
  const role = effectiveRole(caller, subject.team.id);
  // Only a person may skip a requirement as an admin.
  const admin = role === 'admin' && caller.kind === 'user';
  const readable = entryFor(caller, subject, 'read');
  if (readable === undefined && !admin) return refused('not_found', 'There is nothing here that you may read.');
  if (!isAtLeast(role, rule.role)) {
    const hint =
      rule === operations['prompt.move_label']
        ? `A deployer of the team moves a label to an approved version. Request the approval: svc submit --asset ${subject.ref}`
        : rule.action === 'deploy' && rule !== operations['agent.operate']
          ? 'A deployer of the team deploys the approved version. Request the approval: svc submit'
          : `Ask an admin of team:${subject.team.name}.`;
    return refused(
      'forbidden',
      `This needs the role ${rule.role} in team:${subject.team.name}; yours is ${role}.`,
      hint,
    );
  }
  if (rule === operations['target.deploy_to']) return decideDeployTo(caller, subject, admin);
  if (rule.action === 'deploy') return decideDeploy(caller, subject, admin);
  const entry = entryFor(caller, subject, rule.action);
  if (entry !== undefined) return allowed(entry);
  if (admin) return { ...allowed(`admin of team:${subject.team.name} or of the platform`), bypass: 'acl' };
  return refused(
    'forbidden',
    `You have no ${rule.action} permission on ${subject.ref}.`,
    `Ask its owner: svc acl grant --asset ${subject.ref} --principal ${principalOf(caller)} --actions ${rule.action}`,
  );
}

// Deploy, stop, start and restart need a role that may deploy (checked above), an approval of the digest, and access. Access is ownership,
// a deploy entry, or membership in the asset's team. Admins have access, and need an approval only if a setting requires it.
function decideDeploy(caller: SignedInCaller, subject: AssetSubject, admin: boolean): Decision {
  if (!('gate' in subject)) throw new Error(`deploy of ${subject.ref} needs its gate`);
  const { gate } = subject as DeploySubject; // the line above
  const opener = openerOf(caller, subject, admin);
  if (opener === undefined) {
    return refused(
      'forbidden',
      `You have no deploy permission on ${subject.ref}, and are not in team:${subject.team.name}.`,
      `Ask an admin of team:${subject.team.name}.`,
    );
  }
  if (gate.approval_id !== undefined) return allowed(`${opener}, approval ${gate.approval_id}`);
  const why = admin ? whyAdminsToo(gate) : '';
  if (why === undefined) return { ...allowed(`${opener}; admins need no approval here`), bypass: 'approval' };
  const ref = gate.version === undefined ? subject.ref : `${subject.ref}@${gate.version}`;
  return refused(
    'approval_required',
    `${whyUnapproved(ref, gate)}${why}`,
    `${admin ? ownSecrets(subject, gate) : ''}ask: svc submit --asset ${ref}${gate.target === undefined ? '' : targetFlag(gate.target)}`,
  );
}

function whyUnapproved(ref: string, { beyond_approval }: Gate): string {
  return beyond_approval.length === 0
    ? `${ref} has no approval for exactly this content and target.`
    : `${ref} would get more on this target than its approval covers: ${beyond_approval.join(', ')}.`;
}

// The approval is about the agent, and names the target.
function decideDeployTo(caller: SignedInCaller, subject: AssetSubject, admin: boolean): Decision {
  const opener = openerOf(caller, subject, admin);
  if (opener !== undefined) return allowed(opener);
  return refused(
    'forbidden',
    `You have no deploy permission on ${subject.ref}, and are not in team:${subject.team.name}.`,
    `Ask a platform admin: svc acl grant --asset ${subject.ref} --principal ${principalOf(caller)} --actions deploy`,
  );
}

/** The way without another person, when the secrets of the team are the only reason. */
function ownSecrets({ ref }: AssetSubject, gate: Gate): string {
  if (gate.admins_require_approval || gate.version_requires_approval) return '';
  const commands = gate.new_team_secrets.map((name) => `svc secret set ${name} --agent ${ref.replace('agents/', '')}`);
  return commands.length === 0 ? '' : `Give the agent its own: ${commands.join(', ')}. Or `;
}

/** Undefined when admins need no approval. */
function whyAdminsToo({
  admins_require_approval,
  version_requires_approval,
  new_team_secrets,
}: Gate): string | undefined {
  if (admins_require_approval) return ' Admins need one too (require_approval_for_admins).';
  if (version_requires_approval) return ' Admins need one too (require_approval).';
  if (new_team_secrets.length === 0) return undefined;
  return ` Admins need one too, because it newly names ${new_team_secrets.join(', ')} of the team. A secret of the agent itself needs none.`;
}

function openerOf(caller: SignedInCaller, subject: AssetSubject, admin: boolean): string | undefined {
  if (subject.owner_id === caller.id) return 'owner';
  const entry = entryFor(caller, subject, 'deploy');
  if (entry !== undefined) return entry;
  if (isMember(caller, subject.team.id)) return `deployer of team:${subject.team.name}`;
  return admin ? `admin of team:${subject.team.name} or of the platform` : undefined;
}

/** An agent that calls its subagents, or an orchestration that calls its members. */
export interface CallingAsset {
  kind: 'agent' | 'orchestration';
  id: string;
  ref: string;
  name: string;
  team: { id: string; name: string };
}

/** `use` of an asset on an agent, by the entries about the organisation, about its team and about itself. No role gives it. */
export function decideUse(by: CallingAsset, agent: AssetSubject): Decision {
  if (agent.entries_of !== by.id) throw new Error(`${agent.ref} was loaded for another caller than ${by.ref}`);
  const about = { org: null, team: by.team.id, [by.kind]: by.id };
  const entry = agent.entries.find(
    ({ principal_type, principal_id, actions }) => about[principal_type] === principal_id && actions.includes('use'),
  );
  if (entry !== undefined)
    return allowed(`use entry of the ${entry.principal_type === 'org' ? 'organisation' : entry.principal_type}`);
  return refused(
    'forbidden',
    `${by.ref} has no use permission on ${agent.ref}.`,
    `Ask its owner: svc acl grant --asset ${agent.ref} --principal ${by.kind}:${by.name} --actions use`,
  );
}

function entryFor(caller: SignedInCaller, subject: AssetSubject, action: Action): string | undefined {
  const entry = subject.entries.find((one) => one.actions.includes(action) && covers(one, caller));
  return entry && `${action} entry of the ${entry.principal_type === 'org' ? 'organisation' : entry.principal_type}`;
}

/** True for entries about the caller, a team or group of the caller, or the organisation. */
export function covers(entry: Entry, caller: SignedInCaller): boolean {
  switch (entry.principal_type) {
    case 'org':
      return true;
    case 'user':
      return caller.kind === 'user' && entry.principal_id === caller.id;
    case 'team':
      return caller.memberships.some((membership) => membership.team_id === entry.principal_id);
    case 'group':
      return entry.principal_id !== null && caller.groups.includes(entry.principal_id);
    case 'principal':
      return caller.kind === 'principal' && entry.principal_id === caller.id;
    case 'agent':
    case 'orchestration':
      return false;
  }
}

/** covers() as a condition on `permission p`. */
export function whereCovers(caller: SignedInCaller): Sql {
  const teams = caller.memberships.map(({ team_id }) => team_id);
  // Each part is a range of the table's index, so few of 10,000 entries on one asset are read.
  return sql`(p.principal_type = 'org' or (p.principal_type = ${caller.kind} and p.principal_id = ${caller.id})
    or (p.principal_type = 'team' and p.principal_id = any(${teams})) or (p.principal_type = 'group' and p.principal_id = any(${caller.groups})))`;
}

const people_only = 'Service principals cannot do this. It needs a person who is responsible for it.';

function isForOthers(rule: Rule, caller: SignedInCaller): boolean {
  return caller.kind === 'principal' && 'by' in rule && rule.by === 'person';
}

function outOfReach(caller: SignedInCaller, ref: string): string {
  return `${ref} is outside the allowed assets of ${caller.label}.`;
}

function allowed(because: string): Allowed {
  return { allowed: true, because };
}

function refused(code: ProblemCode, reason: string, hint?: string): Refused {
  return { allowed: false, code, reason, ...(hint === undefined ? {} : { hint }) };
}
