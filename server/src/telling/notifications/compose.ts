import { targetFlag } from '@gantry/project/agent-yaml.ts';
import type { RequestKind } from '@gantry/contract/telling/notifications.ts';
import type { AccountRow, NotificationRow, RequestRow } from './store.ts';

export interface Letter {
  to: string;
  subject: string;
  text: string;
  /** The same for every attempt, so a reader can recognise a duplicate. */
  message_id: string;
}

export const messageId = (id: string, from: string): string => `<${id}@${from.split('@')[1]}>`;

/**
 * Plain text with the next command. Its address is the service's own, never one from a request. Text from a person is
 * quoted, so that it cannot pass for the service's, and is in no header.
 */
export function compose(row: RequestRow | AccountRow, where: Where): Letter {
  return letterOf(row, row.account === null ? aboutRequest(row, where.base_url) : aboutAccount(row), where);
}

export interface Where {
  to: string;
  base_url: string;
  from: string;
}

export function letterOf(
  row: Pick<NotificationRow, 'id' | 'seq'>,
  { subject, lines }: Content,
  { to, base_url, from }: Where,
): Letter {
  const end = ['', `The service: ${base_url}`, `In the audit log: governance/${row.seq}`];
  return {
    to,
    subject: `[Gantry] ${subject}`,
    text: `${[...lines, ...end].join('\n')}\n`,
    message_id: messageId(row.id, from),
  };
}

export interface Content {
  subject: string;
  lines: string[];
}

function aboutRequest(row: RequestRow, base_url: string): Content {
  const ref = `${row.asset}@${row.version}`;
  return {
    subject: `${ref} ${subjects[row.kind]}`,
    lines: [
      openings[row.kind](row, `${ref} (target ${row.target})`),
      ...(row.words === '' ? [] : ['', ...row.words.split(/\r\n|[\r\n\u2028\u2029]/).map((each) => `> ${each}`)]),
      '',
      `In the console:   ${base_url}/approvals/${row.approval_id}`,
      '',
      ...nextSteps(row, ref),
    ],
  };
}

function aboutAccount({ account, words }: AccountRow): Content {
  return { subject: `${account}: ${words}`, lines: [`${account}: ${words}.`, '', `Show it:   ${commandFor(account)}`] };
}

function commandFor(account: string): string {
  const [holder = '', team] = account.split(' in team:');
  if (team !== undefined && !holder.startsWith('principal:')) return `svc team budget show ${team} --member ${holder}`;
  if (account.startsWith('key:')) return `svc key show ${account.slice('key:'.length)}`;
  if (account.startsWith('agents/')) return `svc status ${account.slice('agents/'.length)}`;
  const of_team = team ?? /^team:(.*)$/.exec(account)?.[1];
  return of_team === undefined ? 'svc org budget show' : `svc team budget show ${of_team}`;
}

const subjects: Record<RequestKind, string> = {
  submitted: 'waits for your approval',
  withdrawn: 'no longer needs a decision',
  approved: 'is approved',
  rejected: 'is rejected',
  superseded: 'was submitted again',
  revoked: 'is no longer approved',
  expired: 'was not decided in time',
};

const openings: Record<RequestKind, (row: RequestRow, what: string) => string> = {
  submitted: ({ actor }, what) => `${actor} asks for the approval of ${what}.`,
  withdrawn: ({ actor }, what) => `${actor} withdrew the request for the approval of ${what}.`,
  approved: ({ actor }, what) => `${actor} approved ${what}.`,
  rejected: ({ actor }, what) => `${actor} rejected ${what}.`,
  superseded: ({ actor }, what) => `${actor} submitted the asset again; your request for ${what} is closed.`,
  revoked: ({ actor }, what) => `${actor} revoked the approval of ${what}.`,
  expired: (_, what) => `Your request for the approval of ${what}, or its approval, has expired.`,
};

function nextSteps({ kind, approval_id: id, target }: RequestRow, ref: string): string[] {
  const look = `Show it:   svc review show ${id}`;
  if (kind === 'submitted')
    return [
      `Show its changes:      svc review show ${id}`,
      `Approve it:            svc review approve ${id} --reason "…"`,
      `Send it back:          svc review reject ${id} --reason "…"`,
    ];
  if (kind === 'approved' && ref.startsWith('agents/'))
    return [look, `A deployer of the team deploys it:   svc deploy ${ref}${targetFlag(target)}`];
  if (kind === 'approved' || kind === 'withdrawn' || kind === 'superseded') return [look];
  return [look, 'Change it, then submit again:   svc submit'];
}
