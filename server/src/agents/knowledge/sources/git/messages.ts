// Between the service and the process that reads a repository. The process has no network and no secret: it asks the service for two addresses.

/** What the process asks of the server of the repository. */
export type RemoteRequest = { of: 'refs' } | { of: 'pack'; body: Uint8Array };

export interface GitEntry {
  path: string;
  oid: string;
  /** Undefined for a file. */
  problem?: string;
}

export interface GitListing {
  commit: string;
  entries: GitEntry[];
}

export type ToProcess =
  | { kind: 'open'; url: string; ref: string; folder: string }
  | { kind: 'read'; oid: string }
  | { kind: 'head'; headers: Record<string, string> }
  | { kind: 'chunk'; bytes: Uint8Array }
  | { kind: 'end' };

export type FromProcess =
  | { kind: 'ready' }
  | { kind: 'request'; asked: RemoteRequest }
  | { kind: 'listed'; listing: GitListing }
  | { kind: 'blob'; bytes: Uint8Array }
  /** A sentence for people without its end. */
  | { kind: 'failed'; reason: string };
