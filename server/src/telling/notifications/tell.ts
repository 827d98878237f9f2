// Notifications follow the audit log. Promise: every recipient of an entry is notified of it once, even across a kill.
import type { AuditEntry } from '@gantry/contract/audit/audit.ts';
import { parseUsd, percentOf } from '@gantry/contract/formats/money.ts';
import {
  kindsForAdmins,
  requestKinds,
  type AccountKind,
  type RequestKind,
} from '@gantry/contract/telling/notifications.ts';
import { isId } from '@gantry/contract/wire.ts';
import { follow } from '../../governance/audit/follow.ts';
import type { Database, Tx } from '../../ground/database/database.ts';
import { accountOwner, type AccountOwner } from '../../models/keys/accounts/account-owner.ts';
import { findAssetById } from '../../assets/registry/find.ts';
import { toldBy } from '../../agents/memory/inbox/announce.ts';
import { callToTell } from '../../agents/tools/approvals/list-waiting.ts';
import { questionToTell } from '../../agents/tools/questions/list-questions.ts';
import { enqueue } from '../../ground/queue/queue.ts';
import { mailKey, mailQueue } from './send-mail.ts';
import * as store from './store.ts';

const limit = 500;

export type CatchUp = () => Promise<boolean>;

/** True when more entries may follow. A mail with a password token waits until a mail server is set up. */
export async function tell(
  db: Database,
  { mail, onError }: { mail: boolean; onError: (error: unknown) => void },
): Promise<boolean> {
  const onRefused = ({ chain, seq }: AuditEntry, cause: unknown) =>
    onError(new Error(`nobody is notified of the entry ${chain}/${seq}, which cannot be told`, { cause }));
  return await follow(db, { cursor: 'notifications', limit, onRefused }, async (tx, entries) => {
    for (const entry of entries) {
      const ids = await notify(tx, entry);
      if (mail)
        await enqueue(
          tx,
          mailQueue,
          ids.map((id) => ({ key: mailKey('notification', id) })),
        );
      const { password_token } = entry.detail;
      if (isId(password_token)) await enqueue(tx, mailQueue, [{ key: mailKey('password_token', password_token) }]);
    }
  });
}

/** Returns the ids of the new notifications. */
async function notify(tx: Tx, entry: AuditEntry): Promise<string[]> {
  const ofAccount = aboutAccounts[entry.event];
  if (ofAccount !== undefined) return await notifyOfAccount(tx, entry, ofAccount);
  if (entry.event === 'thread.waits') return await notifyOfRuns(tx, entry);
  if (entry.event === 'question.asked') return await notifyOfQuestion(tx, entry);
  if (entry.event === 'call.asked') return await notifyOfCall(tx, entry);
  const ids: string[] = [];
  for (const one of notificationsOf(entry)) ids.push(...(await store.insert(tx, one)));
  return ids;
}

interface AboutAccount {
  kind: AccountKind;
  for_platform: boolean;
  words: (detail: AuditEntry['detail']) => string;
}

/** Their entries have an `account_id`, the `agent_id` of an agent, or the `asset_id` of a knowledge base or a target. With `again`, people were told before. A paused key means that a price or a bound of the service is wrong. */
const aboutAccounts: Readonly<Record<string, AboutAccount>> = {
  'budget.reached': { kind: 'budget_reached', for_platform: false, words: describeBudget },
  'key.paused': { kind: 'key_paused', for_platform: true, words: describePause },
  'agent.crashing': { kind: 'agent_crashing', for_platform: false, words: describeCrashes },
  'agent.steady': { kind: 'agent_steady', for_platform: false, words: () => 'its containers run steadily again' },
  'target.drifted': { kind: 'target_drifted', for_platform: true, words: describeDrift },
  'knowledge.refresh_failed': { kind: 'refresh_failed', for_platform: false, words: describeRefresh },
};

async function notifyOfAccount(
  tx: Tx,
  { seq, actor, detail }: AuditEntry,
  { kind, for_platform, words }: AboutAccount,
): Promise<string[]> {
  const owner = await ownerOf(tx, detail);
  if (owner === undefined || detail['again'] === true) return [];
  return await store.insertAboutAccount(tx, {
    seq,
    kind,
    for_platform,
    account: owner.name,
    team_id: owner.team?.id ?? null,
    agent_id: owner.agent?.id ?? null,
    user_id: owner.user_id,
    actor: actor.name,
    words: words(detail),
  });
}

/** Runs that were answered since are told to nobody. */
async function notifyOfRuns(tx: Tx, { seq, actor, detail: { agent_id, notice_id } }: AuditEntry): Promise<string[]> {
  const agent = isId(agent_id) ? await findAssetById(tx, agent_id, null) : undefined;
  if (agent === undefined || !isId(notice_id)) return [];
  const { runs_of, may_answer } = await toldBy(tx, { agent_id: agent.id, notice_id });
  return await store.insertAboutRuns(tx, {
    seq,
    notice_id,
    agent,
    actor: actor.name,
    words: (runs) => (runs === 1 ? 'A run waits for your answer' : `${runs} runs wait for your answer`),
    runs_of,
    team_id: agent.team.id,
    may_answer,
  });
}

/** A call that was decided since is told to nobody. */
async function notifyOfCall(tx: Tx, { seq, actor, detail: { call, tool } }: AuditEntry): Promise<string[]> {
  const waiting = isId(call) ? await callToTell(tx, call) : undefined;
  if (waiting === undefined) return [];
  return await store.insertAboutCall(tx, {
    ...waiting,
    seq,
    actor: actor.name,
    words: `${actor.name} asks to call ${asText(tool)}`,
  });
}

/** A question that was answered since is told to nobody. */
async function notifyOfQuestion(tx: Tx, { seq, actor, detail: { question, tool } }: AuditEntry): Promise<string[]> {
  const waiting = isId(question) ? await questionToTell(tx, question) : undefined;
  if (waiting === undefined) return [];
  return await store.insertAboutQuestion(tx, {
    ...waiting,
    seq,
    actor: actor.name,
    words: `It asks you something in a call of ${asText(tool)}`,
  });
}

async function ownerOf(
  tx: Tx,
  { account_id, asset_id, agent_id = asset_id }: AuditEntry['detail'],
): Promise<AccountOwner | undefined> {
  if (isId(account_id)) return await accountOwner(tx, account_id);
  const agent = isId(agent_id) ? await findAssetById(tx, agent_id, null) : undefined;
  return agent && { name: agent.ref, team: agent.team, agent, user_id: null };
}

function describeCrashes({ what, rollback, earlier }: AuditEntry['detail']): string {
  return rollback === undefined ? asText(what) : `${asText(what)}; ${asText(rollback)} returns to ${asText(earlier)}`;
}

function describeRefresh({ by, because }: AuditEntry['detail']): string {
  return `the refresh by its ${asText(by)} failed, and what was searched before still is: ${asText(because)}`;
}

function describeDrift({ what, see }: AuditEntry['detail']): string {
  return `${asText(what)}; what mends it: ${asText(see)}`;
}

function describeBudget(detail: AuditEntry['detail']): string {
  const [spent = '', limit = '', window, resets_at] = ['spent_usd', 'limit_usd', 'window', 'resets_at'].map((name) =>
    asText(detail[name]),
  );
  const percent = percentOf(parseUsd(spent), parseUsd(limit));
  return `${percent} % of $${limit} per ${window} is spent; the budget starts again at ${resets_at}`;
}

function describePause({ model, cost_usd, held_usd }: AuditEntry['detail']): string {
  const amounts = `a call of ${asText(model)} cost $${asText(cost_usd)}, and $${asText(held_usd)} was held for it`;
  return `${amounts}; the key admits no call until an admin resumes it`;
}

/** A submission notifies the admins; each later event notifies its submitter. */
function notificationsOf(entry: AuditEntry): store.NewNotification[] {
  const [noun, verb] = entry.event.split('.');
  const { approval_id, superseded, decision, reason, message } = entry.detail;
  const kind = kindOf(verb === 'decided' ? decision : verb);
  if (noun !== 'approval' || kind === undefined || !isId(approval_id)) return [];
  const notification: store.NewNotification = {
    seq: entry.seq,
    kind,
    approval_id,
    asset: entry.asset ?? '',
    actor: entry.actor,
    words: asText(kind === 'submitted' ? message : reason),
    audience: kindsForAdmins.includes(kind) ? 'admins' : 'submitter',
  };
  const gone = Array.isArray(superseded) ? superseded.filter(isId) : [];
  return [
    notification,
    ...gone.map(
      (id) => ({ ...notification, approval_id: id, kind: 'superseded', audience: 'submitter', words: '' }) as const,
    ),
  ];
}

function kindOf(word: unknown): RequestKind | undefined {
  return requestKinds.find((kind) => kind === word);
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
