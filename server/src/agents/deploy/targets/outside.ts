// What a target has outside of this machine. It is known before it is made (the plan), and recorded before it is made (the ledger).

/** `kind` is the vendor's own word, such as `service`. Names are unique within a kind and a target. */
export interface OutsideResource {
  kind: string;
  name: string;
}

/** The resources of one target, in the database. They are recorded before they are made, so a crash leaves nothing unknown. */
export interface Ledger {
  /**
   * Ends when it is stored. When it fails, nothing may be made. A repeated record changes nothing, except that each member of `described` replaces the
   * one of before. `described` is what drift is measured against: plain data, without a value of a secret.
   */
  record(
    resource: OutsideResource,
    of?: { agent: string; revision_id: string },
    described?: Readonly<Record<string, unknown>>,
  ): Promise<void>;
  /** After the vendor has said that it is gone. */
  removed(resource: OutsideResource): Promise<void>;
  /** Those that may be there. */
  list(): Promise<Recorded[]>;
}

export interface Recorded extends OutsideResource {
  revision_id: string | null;
  /** Undefined for one that was made before this was stored. */
  described?: Readonly<Record<string, unknown>> | undefined;
}

/** What a deploy would send, without having sent it. */
export interface TargetPlan {
  /** In their order. Names that the vendor gives are in angle brackets. No value of a secret. */
  requests: { action: string; resource: OutsideResource; body: unknown }[];
  /** Each a sentence: what the vendor would refuse, although the schema of the request allows it. */
  broken: string[];
  /** Each a sentence, for example about a size that was rounded up. */
  notes: string[];
  /** What an approval covers. */
  covers: Covered;
  /** Undefined where nobody bills by size, such as a cluster of one's own. */
  cost?: MonthlyCost;
}

/** Without image, revision, tokens, or a number within `deploy.scaling`: these change with every deploy. */
export interface Covered {
  /** Sorted and unique. */
  kinds: string[];
  size: { cpu: string; memory: string };
  /** Identities that the agent gets, and what the service does in its name. One entry more is a wider permission, so no entry counts or words. */
  permissions: string[];
  /** From where it is reached (`in: <who>`), and what it reaches (`out: <host:port>`); `in: *` and `out: *` are everybody and everything. */
  reach: string[];
  /** Names. */
  secrets: string[];
}

/** From a table of list prices. */
export interface MonthlyCost {
  currency: 'USD';
  /** With `scaling.min` instances, and with `scaling.max`. Decimal numbers as text. */
  idle: string;
  max: string;
  /** The day on which the table was read, and its source. */
  as_of: string;
  source: string;
}
