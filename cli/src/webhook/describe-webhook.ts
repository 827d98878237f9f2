import type { Webhook } from '@gantry/contract/webhooks.ts';
import { bad, fields, line, strong, time, warn, type Block } from '../view/view.ts';

export function describeWebhook(webhook: Webhook): Block {
  const { name, url, events, created_by, created_at, previous_secret_until, at_seq, last_problem, dead } = webhook;
  return fields({
    Webhook: name,
    'Sends to': url,
    Events: events.join(', '),
    'Made by': [created_by, '  ', time(created_at)],
    'Has come to': `governance/${at_seq}`,
    'Secret before': previous_secret_until === null ? undefined : ['signs too until ', time(previous_secret_until)],
    'Last problem': last_problem === null ? undefined : warn(last_problem),
    'Given up': dead === 0 ? undefined : bad(String(dead)),
  });
}

/** Absent where an answer is given again: nothing shows it twice. */
export function secretLine(secret: string | undefined): Block[] {
  return secret === undefined
    ? []
    : [line('  secret  ', strong(secret), '  ', warn('shown once; the receiver verifies with it'))];
}
