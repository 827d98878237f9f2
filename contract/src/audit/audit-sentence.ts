// An entry of the audit log as a sentence without its actor and its full stop: `approved agents/greeter 1.5.0 for local`.
import type { AuditEntry, AuditEvent } from './audit.ts';

type Sentence = (detail: Detail, entry: AuditEntry) => string;

/** Text of a member of the detail, also of one within another; empty without it. */
type Detail = (...path: string[]) => string;

const version: (verb: string, after?: Sentence) => Sentence = (verb, after) => (d, entry) =>
  `${verb} ${asset(entry)} ${d('version')}${d('target') === '' ? '' : ` for ${d('target')}`}${after?.(d, entry) ?? ''}`;
const named: (verb: string, member: string) => Sentence = (verb, member) => (d) => `${verb} ${d(member)}`;
const ofAsset: (verb: string) => Sentence = (verb) => (_, entry) => `${verb} ${asset(entry)}`;
const key: (verb: string) => Sentence = (verb) => (d) => `${verb} the key ${d('key')}… of ${d('for') || d('user')}`;
const asset = ({ asset, team }: AuditEntry) => asset ?? (team === null ? 'the organisation' : `team ${team}`);
const because: Sentence = (d) => (d('reason') === '' ? '' : `: ${d('reason')}`);

const readOf = (d: Detail): string =>
  `${d('right') === 'read_costs' ? 'costs' : 'log'} of ${d('on') === 'org' ? 'the organisation' : d('on')}`;

const sentences: Record<AuditEvent, Sentence> = {
  'login.succeeded': () => 'signed in',
  'login.failed': () => 'could not sign in',
  'token.issued': () => 'got a token',
  'session.revoked': () => 'ended a session',
  refused: (d, entry) => `was refused${entry.asset === null ? '' : ` on ${entry.asset}`}${because(d, entry)}`,
  'audit.exported': () => 'exported the log',
  'audit.verified': (d) => `verified the log up to governance/${d('entries', 'governance')}: ${spaced(d('verdict'))}`,
  'signin.pruned': (d) => `deleted the entries of sign-ins up to ${d('up_to')}`,
  'signin.resealed': (d) => `continued the log of sign-ins after entry ${d('kept')}`,
  'audit.heartbeat': () => 'is alive',
  'governance.pruned': (d) => `deleted the entries of changes up to ${d('up_to')}`,
  'governance.resealed': (d) => `continued the log of changes after entry ${d('kept')}`,
  'org.seeded': () => 'made the organisation',
  'settings.changed': () => 'changed the settings of the organisation',
  'password.changed': () => 'changed their password',
  'password.flagged': named('must have the password changed of', 'user'),
  'password.reset': named('reset the password of', 'user'),
  'user.created': (d) => `created ${d('user')} as ${d('role')}`,
  'user.changed': named('changed', 'user'),
  'user.removed': named('removed', 'user'),
  'team.created': named('created team', 'team'),
  'team.deleted': named('deleted team', 'team'),
  'member.added': (d, { team }) => `made ${d('user')} ${d('after')} in team ${team ?? ''}`,
  'member.removed': (d, { team }) => `removed ${d('user')} from team ${team ?? ''}`,
  'group.created': named('created group', 'group'),
  'group.changed': (d) =>
    d('user') === ''
      ? `changed group ${d('group')}`
      : `${d('added') ? 'added' : 'removed'} ${d('user')} ${d('added') ? 'to' : 'from'} group ${d('group')}`,
  'group.deleted': named('deleted group', 'group'),
  'principal.created': named('created', 'principal'),
  'principal.changed': named('changed', 'principal'),
  'principal.key_rotated': named('gave a new key to', 'principal'),
  'principal.deleted': named('deleted', 'principal'),
  'permission.changed': ofAsset('changed who may use'),
  'grant.created': (d) => `let ${d('principal')} read the ${readOf(d)}`,
  'grant.changed': (d) => `changed until when ${d('principal')} reads the ${readOf(d)}`,
  'grant.revoked': (d) => `took from ${d('principal')} the right to read the ${readOf(d)}`,
  'tools.called': (d) => `recorded ${d('calls')} calls of tools`,
  'call.asked': (d, entry) => `asked for an approval of a call of ${d('tool')} of ${asset(entry)}`,
  'call.approved': (d, entry) => `approved a call of ${d('tool')} of ${asset(entry)}`,
  'question.asked': (d, entry) => `let ${asset(entry)} ask ${d('caller')} something in a call of ${d('tool')}`,
  'question.answered': (d, entry) => `answered a question of ${asset(entry)} in a call of ${d('tool')}`,
  'question.declined': (d, entry) => `declined a question of ${asset(entry)} in a call of ${d('tool')}`,
  'call.rejected': (d, entry) => `rejected a call of ${d('tool')} of ${asset(entry)}`,
  'connection.asked': ofAsset('asked to act in the name of its caller at'),
  'connection.made': ofAsset('connected to'),
  'connection.allowed': (d, entry) => `let ${d('agent')} act in their name at ${asset(entry)}`,
  'connection.refused': (d, entry) => `did not let ${d('agent')} act in their name at ${asset(entry)}`,
  'connection.removed': (d, entry) =>
    d('agent') === ''
      ? `ended their connection to ${asset(entry)}`
      : `ended what ${d('agent')} did in their name at ${asset(entry)}`,
  'client.allowed': (d) => `let ${d('client')} act for them at ${d('resource')}`,
  'client.refused': (d) => `did not let ${d('client')} act for them at ${d('resource')}`,
  'client.signed_in': (d) => `signed in with ${d('client')} at ${d('resource')}`,
  'client.revoked': (d) => `ended what ${d('client')} did for them at ${d('resource')}`,
  'signing_key.rotated': () => 'made a new key for signatures',
  'prompt.label_moved': (d, entry) =>
    `moved the label ${d('label')} of ${asset(entry)} ${d('before') === '' ? '' : `from ${d('before')} `}to ${d('version')}`,
  'prompt.payer_set': ofAsset('let its team pay for trials of'),
  'prompt.example_added': (d, entry) => `stored the example ${d('example')} of ${asset(entry)}`,
  'prompt.example_deleted': (d, entry) => `deleted the example ${d('example')} of ${asset(entry)}`,
  'tools.pinned': ofAsset('pinned the tools of'),
  'knowledge.payer_set': ofAsset('set what vectors may cost of'),
  'knowledge.hook_created': ofAsset('made the hook of'),
  'knowledge.hook_deleted': ofAsset('deleted the hook of'),
  'knowledge.refresh_started': (d, entry) => `started a refresh of ${asset(entry)} by its ${d('by')}, as ${d('as')}`,
  'knowledge.refresh_failed': (d, entry) => `could not refresh ${asset(entry)} by its ${d('by')}: ${d('because')}`,
  'knowledge.refreshed': (d, entry) => `made snapshot ${d('snapshot')} of ${asset(entry)}`,
  'knowledge.served': (d, entry) => `let snapshot ${d('snapshot')} of ${asset(entry)} serve`,
  'knowledge.erased': ofAsset('erased a document of'),
  'knowledge.built': (d, entry) => `built ${asset(entry)} with its version ${d('version')}`,
  'knowledge.uploaded': (d, entry) => `uploaded ${d('path')} to ${asset(entry)}`,
  'knowledge.upload_deleted': (d, entry) => `deleted the upload ${d('path')} of ${asset(entry)}`,
  'thread.deleted': (_, entry) => `deleted a thread with ${asset(entry)}`,
  'thread.looked_at': (d, entry) => `looked at a thread of ${d('caller')} with ${asset(entry)}`,
  'thread.shared': (d, entry) => `shared a thread with ${asset(entry)} with ${d('with')} until ${d('ends_at')}`,
  'thread.unshared': (d, entry) => `took from ${d('with')} the share of a thread with ${asset(entry)}`,
  'thread.share_ended': (d, entry) =>
    `ended the share of a thread of ${d('caller')} with ${asset(entry)} with ${d('with')}`,
  'thread.waits': ofAsset('noticed runs that wait for a person with'),
  'thread.answered': (d, entry) => `answered a run of ${d('caller')} with ${asset(entry)}`,
  'memory.forgotten': (d) => `erased what agents keep of ${d('user')}`,
  'asset.created': ofAsset('created'),
  'asset.changed': version('changed'),
  'asset.transferred': ofAsset('transferred'),
  'asset.published': ofAsset('published'),
  'asset.unpublished': ofAsset('unpublished'),
  'asset.deleted': ofAsset('deleted'),
  'version.pushed': version('pushed'),
  'approval.submitted': version('asked to approve'),
  'approval.voted': version('voted on'),
  'approval.decided': (d, entry) => version(d('decision') || 'decided', because)(d, entry),
  'approval.withdrawn': version('withdrew the request for'),
  'approval.revoked': version('revoked the approval of', because),
  'approval.expired': version('closed the expired request for'),
  'approval.commented': version('commented on'),
  'deploy.started': version('began to deploy'),
  'deploy.bypassed_approval': version('began to deploy', () => ' without approval'),
  deploy: version('deployed'),
  'deploy.rolled_back': version('went back to', because),
  'deploy.failed': version('could not deploy', because),
  'deploy.cancelled': version('cancelled the deploy of'),
  'revision.rebuilt': version('rebuilt the image of'),
  'agent.stopped': ofAsset('stopped'),
  'agent.started': ofAsset('started'),
  'agent.restarted': ofAsset('restarted'),
  'agent.scaled': ofAsset('set the number of containers of'),
  'agent.target_changed': ofAsset('changed the default target of'),
  'orchestration.deployed': ofAsset('deployed'),
  'agent.operation_failed': ofAsset('could not start, stop or restart'),
  'agent.crashing': ofAsset('noticed a crash loop of'),
  'agent.steady': ofAsset('noticed the end of the crash loop of'),
  'instance.joined': ofAsset('let in a container of'),
  'key.created': key('created'),
  'key.claimed': key('claimed'),
  'key.revealed': key('looked at'),
  'key.rotated': key('rotated'),
  'key.revoked': key('revoked'),
  'key.paused': key('paused'),
  'key.resumed': key('resumed'),
  'key_defaults.changed': (_, { team }) => `changed the keys of new members of team ${team ?? ''}`,
  'cost.corrected': (d, entry) =>
    `lowered the estimated cost of ${d('calls')} calls from $${d('charged_usd')} to $${d('billed_usd')}${because(d, entry)}`,
  'budget.changed': (d) => `changed the budget of ${d('for')}`,
  'budget.reached': (d) => `noticed that the budget of ${d('for')} is nearly spent`,
  'secret.created': named('created the secret', 'secret'),
  'secret.changed': named('changed the secret', 'secret'),
  'secret.moved': named('moved the secret', 'secret'),
  'secret.removed': named('removed the secret', 'secret'),
  'target.credential_set': (d, { asset }) => `set the credential of ${asset ?? d('target')}`,
  'target.tested': named('tested the target', 'target'),
  'target.drifted': named('noticed what was changed by hand at the target', 'target'),
  'target.mended': named('noticed what is again as it was described at the target', 'target'),
  'target.collected': named('removed what nobody needs from the target', 'target'),
  'webhook.created': named('created the webhook', 'webhook'),
  'webhook.rotated': named('rotated the secret of the webhook', 'webhook'),
  'webhook.tested': named('tested the webhook', 'webhook'),
  'webhook.redelivered': named('sent again for the webhook', 'webhook'),
  'webhook.deleted': named('deleted the webhook', 'webhook'),
};

export function sentenceOf(entry: AuditEntry): string {
  const detail: Detail = (...path) => {
    const found = path.reduce<unknown>((part, name) => (part as Record<string, unknown> | null)?.[name], entry.detail);
    return typeof found === 'string' || typeof found === 'number' || found === true ? String(found) : '';
  };
  const sentence = Object.hasOwn(sentences, entry.event) ? sentences[entry.event as AuditEvent] : undefined;
  if (sentence === undefined) return spaced(entry.event.replace('.', ' '));
  return sentence(detail, entry).replaceAll(/\s+/g, ' ').trim();
}

/** `system.heartbeat` is the service itself. */
export const actorOf = ({ actor: { kind, name } }: AuditEntry): string => (kind === 'system' ? 'the service' : name);

const spaced = (text: string) => text.replaceAll('_', ' ');

/** The first words of all events, as the filter takes them. */
export const actionGroups = [
  ...new Set(Object.keys(sentences).map((event) => event.split('.')[0] ?? event)),
].toSorted();
