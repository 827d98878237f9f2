// Permissions as data. The server's decision (server/src/governance/access/decide.ts) uses only these tables.

export const roles = ['viewer', 'contributor', 'deployer', 'admin'] as const;
export type Role = (typeof roles)[number];

/** Roles are ordered: each one includes the ones before it. */
export function isAtLeast(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}

export const actions = ['read', 'use', 'write', 'deploy', 'publish', 'admin'] as const;
export type Action = (typeof actions)[number];

/** The principals of an ACL entry; `org` is everybody who is signed in. */
export const principalTypes = ['org', 'team', 'user', 'group', 'principal', 'agent', 'orchestration'] as const;
export type PrincipalType = (typeof principalTypes)[number];

/** The most that an agent or an orchestration gets on another asset. */
export const actionsOfAssets = ['read', 'use'] as const satisfies readonly Action[];

/** What a reading grant gives, on a team or on the organisation. The actions of an ACL entry are about one asset, so these are none of them. */
export const readingRights = ['read_costs', 'read_audit'] as const;
export type ReadingRight = (typeof readingRights)[number];

export const assetKinds = [
  'agent',
  'prompt',
  'tool',
  'memory-config',
  'rag-index',
  'knowledge-base',
  'model',
  'mcp-server',
  'orchestration',
  'target',
  'skill',
] as const;
export type AssetKind = (typeof assetKinds)[number];

/**
 * An operation's demand on its caller.
 * - `anyone`     no sign-in
 * - `signed_in`  any active principal; the operation limits its own output
 * - `org`        at least this platform role
 * - `team`       at least this role in the team (the higher of platform role and team role)
 * - `asset`      the ACL action on the asset, and at least this role in the asset's team
 * - `agent`      the gateway key of a deployed agent, and the token of one of its open runs
 * - `key`        a working gateway key; the gateway's admission decides what it may call
 * - `system`     the service itself, for the reason named; no request can carry it
 *
 * A service principal cannot do an operation with `by: 'person'` in any role. The reading right in `or` gives the operation without the role.
 */
export type Rule =
  | { on: 'anyone' }
  | { on: 'signed_in'; by?: 'person' }
  | { on: 'org'; role: Role; by?: 'person'; or?: ReadingRight }
  | { on: 'team'; role: Role; by?: 'person'; or?: ReadingRight }
  | { on: 'asset'; action: Action; role: Role }
  | { on: 'agent' }
  | { on: 'key' }
  | { on: 'system'; reason: string };

export const operations = {
  'service.describe': { on: 'anyone' },
  'service.inspect': { on: 'org', role: 'admin' },

  // The operation itself asks for the token of the setting.
  'metrics.read': { on: 'anyone' },

  'session.open': { on: 'anyone' },
  'session.read': { on: 'signed_in' },
  'session.revoke': { on: 'signed_in' },
  'password.change': { on: 'signed_in', by: 'person' },
  // For the holder of an invitation's or a reset's token.
  'password.set': { on: 'anyone' },

  'team.list': { on: 'signed_in' },
  'team.create': { on: 'org', role: 'admin' },
  'team.read': { on: 'team', role: 'viewer' },
  'team.delete': { on: 'org', role: 'admin' },
  // A membership outlives every key, so only a person decides it: a leaked key could add a person permanently.
  'member.add': { on: 'team', role: 'admin', by: 'person' },
  'member.remove': { on: 'team', role: 'admin', by: 'person' },
  'user.list': { on: 'org', role: 'admin' },
  'user.create': { on: 'org', role: 'admin' },
  'user.change': { on: 'org', role: 'admin' },
  'user.remove': { on: 'org', role: 'admin' },
  'user.reset_password': { on: 'org', role: 'admin' },
  'org.read': { on: 'signed_in' },
  'org.change': { on: 'org', role: 'admin' },
  'org.check': { on: 'org', role: 'admin' },

  'group.list': { on: 'signed_in' },
  'group.read': { on: 'team', role: 'viewer' },
  'group.change': { on: 'team', role: 'admin', by: 'person' },

  'principal.list': { on: 'signed_in' },
  'principal.read': { on: 'team', role: 'viewer' },
  // Creating, changing and giving a key are one right, because each could do the harm of the others.
  'principal.change': { on: 'team', role: 'admin', by: 'person' },

  'asset.list': { on: 'signed_in' },
  'asset.create': { on: 'team', role: 'contributor' },
  'asset.read': { on: 'asset', action: 'read', role: 'viewer' },
  'asset.write': { on: 'asset', action: 'write', role: 'contributor' },
  'asset.publish': { on: 'asset', action: 'publish', role: 'contributor' },
  // A transfer also needs the right to create assets in the receiving team.
  'asset.transfer': { on: 'asset', action: 'admin', role: 'contributor' },
  'asset.delete': { on: 'asset', action: 'admin', role: 'contributor' },
  'asset.invoke': { on: 'asset', action: 'use', role: 'viewer' },

  'approval.list': { on: 'signed_in' },
  'approval.submit': { on: 'asset', action: 'write', role: 'contributor' },
  'approval.read': { on: 'asset', action: 'read', role: 'viewer' },
  // Only the submitter, with permission to read the asset.
  'approval.withdraw': { on: 'asset', action: 'read', role: 'viewer' },
  // The asset's team, its owner, the submitter and platform admins, with permission to read the asset.
  'approval.comment': { on: 'asset', action: 'read', role: 'viewer' },
  // Only admins decide: of the platform, or of the asset's team. No ACL row gives this.
  'approval.decide': { on: 'team', role: 'admin', by: 'person' },

  'notification.read': { on: 'signed_in', by: 'person' },
  // Its parts are the caller's own lists.
  'home.read': { on: 'signed_in' },
  // The operation limits its output to the rows of the caller's lists.
  'event.read': { on: 'signed_in' },

  'secret.list': { on: 'signed_in' },
  'team_secret.read': { on: 'team', role: 'viewer' },
  'team_secret.change': { on: 'team', role: 'admin' },
  'agent_secret.change': { on: 'asset', action: 'write', role: 'contributor' },

  'deployment.list': { on: 'signed_in' },
  'deployment.read': { on: 'asset', action: 'read', role: 'viewer' },
  'agent.deploy': { on: 'asset', action: 'deploy', role: 'deployer' },
  'agent.operate': { on: 'asset', action: 'deploy', role: 'deployer' },

  // Those of its version that it may use.
  'prompt.read_own': { on: 'agent' },
  // As a deploy: with an approval of exactly this text.
  'prompt.move_label': { on: 'asset', action: 'deploy', role: 'deployer' },

  'permission.list': { on: 'signed_in' },
  'permission.check': { on: 'signed_in' },
  'permission.explain': { on: 'asset', action: 'read', role: 'viewer' },
  'permission.change': { on: 'asset', action: 'admin', role: 'contributor' },

  // One's own, and those that one may change.
  'grant.list': { on: 'signed_in' },
  // Who reads a team's costs and log. A grant outlives every key, so only a person decides it.
  'grant.change': { on: 'team', role: 'admin', by: 'person' },
  'grant.change_org': { on: 'org', role: 'admin', by: 'person' },

  // The operation limits its output to the targets that the caller may read.
  'target.list': { on: 'signed_in' },
  // A target gets the images and the secrets of agents, so only a person who administers the platform says where that is.
  'target.change': { on: 'org', role: 'admin', by: 'person' },
  // Beside `agent.deploy` on the agent.
  'target.deploy_to': { on: 'asset', action: 'deploy', role: 'viewer' },

  // The credential, the address and the price of a model: who pays for its calls. The asset's own rules hold beside it.
  'model.change': { on: 'team', role: 'admin' },
  'model.call': { on: 'key' },
  // Spans count only with the token of a run of the key's revision.
  'span.send': { on: 'key' },
  // The operation itself finds the open run.
  'memory.keep': { on: 'agent' },
  // The operation itself finds the servers of the version that calls.
  'tool.call': { on: 'agent' },
  // As the address of the server, which decides more.
  // Only admins decide about a call that waits: of the platform, or of the server's team. No ACL row gives this.
  'tool_call.decide': { on: 'team', role: 'admin', by: 'person' },
  // A question of a server is for the person for whom the call is made, and for nobody else.
  'tool_question.answer': { on: 'signed_in', by: 'person' },
  // Everybody for oneself. What acts in the name of a person is decided by that person alone.
  'connection.read': { on: 'signed_in' },
  'connection.change': { on: 'signed_in', by: 'person' },
  // Programs that act for a person: that person alone decides. A client itself signs in with what a person has allowed.
  'client.read': { on: 'signed_in', by: 'person' },
  'client.change': { on: 'signed_in', by: 'person' },
  'client.sign_in': { on: 'anyone' },
  // The public keys, for those who check the tokens of this service.
  'signing_key.read': { on: 'anyone' },
  // Its request proves that it has the secret.
  'hook.call': { on: 'anyone' },
  'signing_key.rotate': { on: 'org', role: 'admin', by: 'person' },
  'tools.pin': { on: 'asset', action: 'write', role: 'contributor' },
  // The costs of the caller's own keys; lists show those that the caller may manage too.
  // The operation limits its output.
  'cost.read': { on: 'signed_in' },
  // It gives budgets of the organisation their money back.
  'cost.correct': { on: 'org', role: 'admin', by: 'person' },
  // With an agent, its readers; with a team, its admins.
  'guardrail.report': { on: 'signed_in' },
  'guardrail.report_team': { on: 'team', role: 'admin' },
  'key.list': { on: 'signed_in' },
  'key.create_own': { on: 'signed_in' },
  'key.manage': { on: 'team', role: 'admin', by: 'person' },
  'key.manage_org': { on: 'org', role: 'admin', by: 'person' },
  'key.reveal': { on: 'org', role: 'admin', by: 'person' },
  // "Manage billing" of the spec: for an admin of that team, or of the platform.
  'budget.read': { on: 'team', role: 'admin', or: 'read_costs' },
  // What the keys of new members get.
  'key_defaults.read': { on: 'team', role: 'viewer', or: 'read_costs' },
  'budget.read_org': { on: 'org', role: 'admin', or: 'read_costs' },
  'budget.change': { on: 'team', role: 'admin', by: 'person' },
  'budget.change_org': { on: 'org', role: 'admin', by: 'person' },

  // The operation limits its output to the spans of agents that the caller may read.
  'trace.read': { on: 'signed_in' },
  // Everybody for oneself; the operation asks `user.remove` for others.
  'user.forget': { on: 'signed_in', by: 'person' },
  // The operation lists what waits for the caller.
  'inbox.read': { on: 'signed_in' },
  // Without names and texts.
  'thread.read_all': { on: 'asset', action: 'admin', role: 'viewer' },
  // The content of a call that another principal made.
  'trace.read_content': { on: 'asset', action: 'admin', role: 'viewer' },

  'audit.read': { on: 'signed_in', by: 'person' },
  'audit.verify': { on: 'org', role: 'admin', by: 'person', or: 'read_audit' },
  'audit.export': { on: 'org', role: 'admin', by: 'person', or: 'read_audit' },

  'webhook.read': { on: 'org', role: 'admin' },
  'webhook.change': { on: 'org', role: 'admin' },

  'system.seed': { on: 'system', reason: 'a fresh installation gets its organisation, team and admin' },
  'system.reset_admin': { on: 'system', reason: 'svc server reset-admin, run on the host' },
  'system.settings': { on: 'system', reason: 'the organisation settings file was read' },
  'system.issue_key': { on: 'system', reason: 'a gateway key had expired when its owner signed in' },
  'system.rotate_signing_key': { on: 'system', reason: 'the signing key was missing, or old' },
  'system.record_tool_calls': { on: 'system', reason: 'calls of tools have ended' },
  'system.expire': { on: 'system', reason: 'a request for approval expired, or a share of a thread ended' },
  'system.alert': {
    on: 'system',
    reason:
      'a budget has reached a threshold, the containers of an agent end again and again, a target was changed by hand, or a run waits for a person',
  },
  'system.refresh': { on: 'system', reason: 'a refresh was due, or the hook of a knowledge base asked for one' },
  'system.pause_key': { on: 'system', reason: 'a call cost more than was held for it' },
  'system.end_keys': { on: 'system', reason: 'the container of a revision is gone' },
  'system.rebuild': { on: 'system', reason: 'the image of a deployed revision was missing' },
  'system.resume': { on: 'system', reason: 'the service started and resumed its work' },
  'system.join': { on: 'system', reason: 'an instance that dials in showed the token of its start' },
  'system.heartbeat': { on: 'system', reason: 'a heartbeat of the audit log' },
  'system.prune': { on: 'system', reason: 'svc audit prune, run on the host' },
  'system.reseal': { on: 'system', reason: 'svc audit reseal, run on the host' },
} as const satisfies Record<string, Rule>;
export type Operation = keyof typeof operations;

/** The spec's "Default ACL on creation". The owner deploys through ownership and an approval, never through a row. */
export const defaultEntries = {
  owner: ['read', 'use', 'write', 'publish', 'admin'],
  team: ['read', 'use'],
  org: ['read'],
} as const satisfies Record<string, readonly Action[]>;

export const visibilities = ['private', 'team', 'org'] as const;
/** `public` in a file means `org`: nothing is readable without a sign-in. */
export type Visibility = (typeof visibilities)[number];
