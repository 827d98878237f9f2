// Where documents come from. A source lists its documents, and reads each only when its content may be new.
import type { Outbound } from '../../../ground/outbound/outbound.ts';

export interface SourceDocument {
  /** Within its base, and the same at each refresh. */
  path: string;
  title?: string;
  media_type?: string;
  /** Changes when the content does, if the source knows that without reading. */
  mark?: string;
  read(): Promise<Uint8Array>;
  /** Names of those who find it, as the source says. */
  readers?: readonly string[];
}

/** `problem`: why it cannot be read, as a sentence. */
export type Listed = SourceDocument | { path: string; problem: string };

export interface SourceContext {
  outbound: Outbound;
  /** The value of a secret of the team. Undefined when it is not set. */
  secret(name: string): Promise<string | undefined>;
  /** The files that people sent to the base. */
  uploads: {
    list(): Promise<{ path: string; sha256: string }[]>;
    /** Undefined when it was deleted meanwhile. */
    read(sha256: string): Promise<Uint8Array | undefined>;
  };
  /** Of the Git repository, before its files are listed. May throw, and ends the list then. */
  onCommit(commit: string): Promise<void>;
  signal: AbortSignal;
}

/** One document cannot be fetched. The message is a sentence for people, and the others go on. */
export class DocumentUnreadable extends Error {}
