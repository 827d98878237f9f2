import type { EntryLine } from '@gantry/contract/audit-stream.ts';

/** Takes entries of one chain, in their order. */
export interface Receiver {
  /** Settles once the other side has taken them all; throws when it may not have. */
  send(entries: readonly EntryLine[], signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}
