import type { Database } from '../database/database.ts';
import type { GuardrailRecord } from '../guardrails/record.ts';
import type { Spans } from '../traces/spans.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { Admission } from './admission.ts';
import type { RunKey } from '../run-token.ts';
import type { ReadCredentials } from './facts.ts';
import type { GoogleTokens } from './google-token.ts';
import type { Health } from './health.ts';
import type { OpenCalls } from './open-calls.ts';

export interface GatewayParts {
  db: Database;
  admission: Admission;
  outbound: Outbound;
  google_tokens: GoogleTokens;
  health: Health;
  open_calls: OpenCalls;
  guardrails: GuardrailRecord;
  readCredentials: ReadCredentials;
  spans: Pick<Spans, 'add' | 'lose'>;
  /** Of run tokens. */
  run_key: RunKey;
  /** An answer that broke off after its first byte. */
  onBroken(cause: unknown): void;
  /** Work that continues after the answer. */
  background(work: Promise<unknown>): void;
}
