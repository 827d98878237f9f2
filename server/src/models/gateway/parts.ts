import type { Database } from '../../ground/database/database.ts';
import type { GuardrailRecord } from '../guardrails/record.ts';
import type { Spans } from '../traces/spans.ts';
import type { Outbound } from '../../ground/outbound/outbound.ts';
import type { Admission } from './admission/admission.ts';
import type { RunKey } from '../../ground/run-token.ts';
import type { ReadCredentials } from './admission/facts.ts';
import type { GoogleTokens } from './upstream/google-token.ts';
import type { Health } from './upstream/health.ts';
import type { OpenCalls } from './admission/open-calls.ts';

export interface GatewayParts {
  db: Database;
  admission: Admission;
  outbound: Outbound;
  google_tokens: GoogleTokens;
  health: Health;
  /** Stores what was seen now. Otherwise that follows within seconds. */
  writeHealth: () => Promise<void>;
  open_calls: OpenCalls;
  guardrails: GuardrailRecord;
  readCredentials: ReadCredentials;
  spans: Pick<Spans, 'add' | 'lose'>;
  /** Verifies run tokens. */
  run_key: RunKey;
  /** An answer that broke off after its first byte. */
  onBroken(cause: unknown): void;
  /** Work that continues after the answer. */
  background(work: Promise<unknown>): void;
}
