// What a target has outside of this machine. It is known before it is made (the plan), and recorded before it is made (the ledger).
import type { TargetPlan } from '@gantry/contract/agents/target-plan.ts';

// A plan is shown to people, so its shape is part of the contract. One entry more in `covers.permissions` is a wider permission: no entry counts
// something, and none is a sentence that a later release words anew. `covers.reach` has `in: <who>` and `out: <host:port>`, and `*` for all.
export type { MonthlyCost, TargetPlan } from '@gantry/contract/agents/target-plan.ts';

/** `kind` is the vendor's own word, such as `service`. Names are unique within a kind and a target. */
export type OutsideResource = TargetPlan['requests'][number]['resource'];

/** The resources of one target, in the database. They are recorded before they are made, so a crash leaves nothing unknown. */
export interface Ledger {
  /**
   * Ends when it is stored. When it fails, nothing may be made. A repeated record changes nothing, except that each member of `described` replaces
   * the one of before. `described` is what drift is measured against: plain data, without a value of a secret.
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
