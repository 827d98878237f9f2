import type { Webhook } from '@gantry/contract/telling/webhooks.ts';
import { bad, fields, line, strong, time, warn, type Block } from '../view/view.ts';

export function describeWebhook(webhook: Webhook): Block {
  const { name, url, events, created_by, created_at, previous_secret_until, at_seq, last_problem, dead } = webhook;
  return fields({
    Webhook: name,
    'Sends to': url,
    Events: events.join(', '),
    'Created by': [created_by, '  ', time(created_at)],
    'Sent up to': `governance/${at_seq}`,
    'Previous secret': previous_secret_until === null ? undefined : ['also signs until ', time(previous_secret_until)],
    'Last problem': last_problem === null ? undefined : warn(last_problem),
    'Failed for good': dead === 0 ? undefined : bad(String(dead)),
  });
}

/** Absent in a repeated answer, because a secret is shown once. */
export function secretLine(secret: string | undefined): Block[] {
  return secret === undefined
    ? []
    : [line('  secret  ', strong(secret), '  ', warn('shown once; the receiver verifies with it'))];
}
