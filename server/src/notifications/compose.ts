import type { NotificationKind } from '@gantry/contract/notifications.ts';
import type { NotificationRow } from './store.ts';

export interface Letter {
  to: string;
  subject: string;
  text: string;
  /** The same for every attempt: a letter that arrives twice can be told by it. */
  message_id: string;
}

export const messageId = (id: string, from: string): string => `<${id}@${from.split('@')[1]}>`;

/**
 * Plain text with what to type next. The address in it is the service's own, never one that a request came with; what a person wrote is
 * quoted, so that it cannot pass for ours, and stands in no header.
 */
export function compose(
  row: NotificationRow,
  { to, base_url, from }: { to: string; base_url: string; from: string },
): Letter {
  const ref = `${row.asset}@${row.version}`;
  const lines = [
    openings[row.kind](row, `${ref} (target ${row.target})`),
    ...(row.words === '' ? [] : ['', ...row.words.split(/\r\n|[\r\n\u2028\u2029]/).map((each) => `> ${each}`)]),
    '',
    ...nextSteps(row.kind, row.approval_id, ref),
    '',
    `The service: ${base_url}`,
    `In the audit log: governance/${row.seq}`,
  ];
  return {
    to,
    subject: `[Gantry] ${ref} ${subjects[row.kind]}`,
    text: `${lines.join('\n')}\n`,
    message_id: messageId(row.id, from),
  };
}

const subjects: Record<NotificationKind, string> = {
  submitted: 'waits for your approval',
  withdrawn: 'needs no decision any more',
  approved: 'is approved',
  rejected: 'is rejected',
  superseded: 'was submitted anew',
  revoked: 'is not approved any more',
  expired: 'was not decided in time',
};

const openings: Record<NotificationKind, (row: NotificationRow, what: string) => string> = {
  submitted: ({ actor }, what) => `${actor} asks for the approval of ${what}.`,
  withdrawn: ({ actor }, what) => `${actor} withdrew the request for the approval of ${what}.`,
  approved: ({ actor }, what) => `${actor} approved ${what}.`,
  rejected: ({ actor }, what) => `${actor} rejected ${what}.`,
  superseded: ({ actor }, what) => `${actor} submitted the asset anew; your request for ${what} is closed.`,
  revoked: ({ actor }, what) => `${actor} took the approval of ${what} back.`,
  expired: (_, what) => `Your request for the approval of ${what}, or its approval, has expired.`,
};

function nextSteps(kind: NotificationKind, id: string, ref: string): string[] {
  const look = `Look at it:   svc review show ${id}`;
  if (kind === 'submitted')
    return [
      `What it would change:  svc review show ${id}`,
      `Approve it:            svc review approve ${id} --reason "…"`,
      `Send it back:          svc review reject ${id} --reason "…"`,
    ];
  if (kind === 'approved') return [look, `A deployer of the team deploys it:   svc deploy ${ref}`];
  if (kind === 'withdrawn' || kind === 'superseded') return [look];
  return [look, 'Submit it again, once changed:   svc submit'];
}
