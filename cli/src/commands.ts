// Every command by the words typed. The file lies where the words say: `svc team add` is commands/team/add.ts. What the registry offers
// is the same for every kind of asset: `svc registry tool edit` is commands/registry/edit.ts, made for tools.
import { configuredKinds, type ConfiguredKind } from '@gantry/contract/asset-kinds.ts';
import { assetKinds, type AssetKind } from '@gantry/contract/roles.ts';
import type { Command } from './command.ts';

const ofEveryKind = {
  list: () => import('./commands/registry/list.ts'),
  show: () => import('./commands/registry/show.ts'),
  versions: () => import('./commands/registry/versions.ts'),
  edit: () => import('./commands/registry/edit.ts'),
  publish: () => import('./commands/registry/publish.ts'),
  unpublish: () => import('./commands/registry/unpublish.ts'),
  transfer: () => import('./commands/registry/transfer.ts'),
  delete: () => import('./commands/registry/delete.ts'),
} as const;
type RegistryWords = `registry ${AssetKind} ${keyof typeof ofEveryKind}` | `registry ${ConfiguredKind} create`;
type Load = () => Promise<{ command: Command }>;

const ofTheRegistry = Object.fromEntries([
  ...assetKinds.flatMap((kind) =>
    Object.entries(ofEveryKind).map(([verb, load]): [string, Load] => [
      `registry ${kind} ${verb}`,
      async () => ({ command: (await load()).commandFor(kind) }),
    ]),
  ),
  // Agents are pushed.
  ...configuredKinds.map((kind): [string, Load] => [
    `registry ${kind} create`,
    async () => ({ command: (await import('./commands/registry/create.ts')).commandFor(kind) }),
  ]),
]) as Record<RegistryWords, Load>; // the same words, once as values and once as types

export const commands = {
  quickstart: () => import('./commands/quickstart.ts'),
  login: () => import('./commands/login.ts'),
  logout: () => import('./commands/logout.ts'),
  whoami: () => import('./commands/whoami.ts'),
  init: () => import('./commands/init.ts'),
  validate: () => import('./commands/validate.ts'),
  submit: () => import('./commands/submit.ts'),
  deploy: () => import('./commands/deploy.ts'),
  invoke: () => import('./commands/invoke.ts'),
  logs: () => import('./commands/logs.ts'),
  status: () => import('./commands/status.ts'),
  stop: () => import('./commands/stop.ts'),
  start: () => import('./commands/start.ts'),
  restart: () => import('./commands/restart.ts'),
  delete: () => import('./commands/delete.ts'),
  search: () => import('./commands/search.ts'),
  audit: () => import('./commands/audit.ts'),
  doctor: () => import('./commands/doctor.ts'),
  'password set': () => import('./commands/password/set.ts'),
  'password change': () => import('./commands/password/change.ts'),
  'context use': () => import('./commands/context/use.ts'),
  'context show': () => import('./commands/context/show.ts'),
  'context clear': () => import('./commands/context/clear.ts'),
  'deployments list': () => import('./commands/deployments/list.ts'),
  'deployments show': () => import('./commands/deployments/show.ts'),
  'deployments watch': () => import('./commands/deployments/watch.ts'),
  'deployments cancel': () => import('./commands/deployments/cancel.ts'),
  'acl grant': () => import('./commands/acl/grant.ts'),
  'acl revoke': () => import('./commands/acl/revoke.ts'),
  'acl list': () => import('./commands/acl/list.ts'),
  'acl check': () => import('./commands/acl/check.ts'),
  'acl explain': () => import('./commands/acl/explain.ts'),
  'review list': () => import('./commands/review/list.ts'),
  'review show': () => import('./commands/review/show.ts'),
  'review comment': () => import('./commands/review/comment.ts'),
  'review approve': () => import('./commands/review/approve.ts'),
  'review reject': () => import('./commands/review/reject.ts'),
  'review withdraw': () => import('./commands/review/withdraw.ts'),
  'review revoke': () => import('./commands/review/revoke.ts'),
  notifications: () => import('./commands/notifications.ts'),
  'audit export': () => import('./commands/audit/export.ts'),
  'audit verify': () => import('./commands/audit/verify.ts'),
  'audit prove': () => import('./commands/audit/prove.ts'),
  'audit key': () => import('./commands/audit/key.ts'),
  'audit verifier': () => import('./commands/audit/verifier.ts'),
  'audit prune': () => import('./commands/audit/prune.ts'),
  'audit reseal': () => import('./commands/audit/reseal.ts'),
  ...ofTheRegistry,
  'webhook create': () => import('./commands/webhook/create.ts'),
  'webhook list': () => import('./commands/webhook/list.ts'),
  'webhook show': () => import('./commands/webhook/show.ts'),
  'webhook delete': () => import('./commands/webhook/delete.ts'),
  'webhook rotate': () => import('./commands/webhook/rotate.ts'),
  'webhook test': () => import('./commands/webhook/test.ts'),
  'webhook deliveries': () => import('./commands/webhook/deliveries.ts'),
  'webhook redeliver': () => import('./commands/webhook/redeliver.ts'),
  'team list': () => import('./commands/team/list.ts'),
  'team show': () => import('./commands/team/show.ts'),
  'team create': () => import('./commands/team/create.ts'),
  'team add': () => import('./commands/team/add.ts'),
  'team remove': () => import('./commands/team/remove.ts'),
  'team delete': () => import('./commands/team/delete.ts'),
  'user list': () => import('./commands/user/list.ts'),
  'user create': () => import('./commands/user/create.ts'),
  'user show': () => import('./commands/user/show.ts'),
  'user update': () => import('./commands/user/update.ts'),
  'user disable': () => import('./commands/user/disable.ts'),
  'user enable': () => import('./commands/user/enable.ts'),
  'user reset-password': () => import('./commands/user/reset-password.ts'),
  'user remove': () => import('./commands/user/remove.ts'),
  'group list': () => import('./commands/group/list.ts'),
  'group show': () => import('./commands/group/show.ts'),
  'group create': () => import('./commands/group/create.ts'),
  'group update': () => import('./commands/group/update.ts'),
  'group add': () => import('./commands/group/add.ts'),
  'group remove': () => import('./commands/group/remove.ts'),
  'group delete': () => import('./commands/group/delete.ts'),
  'principal list': () => import('./commands/principal/list.ts'),
  'principal show': () => import('./commands/principal/show.ts'),
  'principal create': () => import('./commands/principal/create.ts'),
  'principal update': () => import('./commands/principal/update.ts'),
  'principal rotate': () => import('./commands/principal/rotate.ts'),
  'principal delete': () => import('./commands/principal/delete.ts'),
  'org show': () => import('./commands/org/show.ts'),
  'org set': () => import('./commands/org/set.ts'),
  'org check': () => import('./commands/org/check.ts'),
  'server start': () => import('./commands/server/start.ts'),
  'server stop': () => import('./commands/server/stop.ts'),
  'server status': () => import('./commands/server/status.ts'),
  'server logs': () => import('./commands/server/logs.ts'),
  'server reset-admin': () => import('./commands/server/reset-admin.ts'),
} as const;
export type Words = keyof typeof commands;

const session = 'Who you are:';
const build = 'Build and deploy:';
const run = 'Run:';
const govern = 'Govern:';
const machine = 'This machine:';

/** What help says of words that stand for several commands, below the first. */
export const groups: Record<string, string> = {
  'registry agent': 'Agents; they are made by a push',
  'registry prompt': 'Texts for models, with variables that are filled in',
  'registry tool': 'What agents can do: functions of their own code, and calls of addresses',
  'registry memory-config': 'What agents remember of a conversation, and where',
  'registry rag-index': 'Knowledge bases, cut up and embedded for a search by meaning',
  'registry knowledge-base': 'Documents that agents look things up in',
  'registry model': 'Models, with what a call of them costs',
  'registry mcp-server': 'Servers of the Model Context Protocol',
};

/** How help lists what can be typed first: commands, and words that stand for several. */
export const menu = {
  login: { heading: session },
  logout: { heading: session },
  whoami: { heading: session },
  password: { heading: session, summary: 'Your password: change it, or set it with the token of a mail' },
  context: { heading: session, summary: 'Act for one of your teams: use, show, clear' },
  init: { heading: build },
  validate: { heading: build },
  submit: { heading: build },
  deploy: { heading: build },
  deployments: { heading: build, summary: 'Deploys: list, show, watch, cancel' },
  search: { heading: build },
  registry: { heading: build, summary: 'Assets of every kind: list, show, create, edit, publish, transfer, delete' },
  invoke: { heading: run },
  logs: { heading: run },
  status: { heading: run },
  stop: { heading: run },
  start: { heading: run },
  restart: { heading: run },
  delete: { heading: run },
  review: { heading: govern, summary: 'Requests for approval: list, show, comment, approve, reject, withdraw, revoke' },
  notifications: { heading: govern },
  acl: { heading: govern, summary: 'Who may do what to an asset: grant, revoke, list, check, explain' },
  team: { heading: govern, summary: 'Teams and who is in them' },
  user: { heading: govern, summary: 'The people of the organisation' },
  group: { heading: govern, summary: 'Named sets of a team’s users, to grant to' },
  principal: { heading: govern, summary: 'Service principals: identities for pipelines and scripts' },
  org: { heading: govern, summary: 'Settings of the organisation: show, set, check' },
  audit: { heading: govern },
  webhook: {
    heading: govern,
    summary: 'What happens, sent to programs outside: create, list, test, deliveries, rotate',
  },
  quickstart: { heading: machine },
  server: { heading: machine, summary: 'The service on this machine: start, stop, status, logs' },
  doctor: { heading: machine },
} as const satisfies Record<string, { heading: string; summary?: string }>;
