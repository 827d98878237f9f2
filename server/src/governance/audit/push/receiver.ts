import type { EntryLine } from '@gantry/contract/audit/audit-stream.ts';

/** Sends entries of one chain, in order. */
export interface Receiver {
  /** Resolves after the receiver has accepted all entries. Throws if that is uncertain. */
  send(entries: readonly EntryLine[], signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}
