import { createHash } from 'node:crypto';
import { canonicalJson } from '../../../governance/audit/canonical-json.ts';
import type { SendParams } from './params.ts';

/** Clients repeat ids for other messages, so the content counts too. `from`: what else tells the messages of one caller apart. */
export function messageKey({ messageId, ...message }: SendParams['message'], from: readonly string[] = []): string {
  const content = createHash('sha256').update(canonicalJson(message)).digest('hex');
  return ['message', ...from, messageId, content].join(' ');
}
