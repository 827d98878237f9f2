import type { Isolation } from '@gantry/project/agent-yaml/config.ts';
import type { TargetPlan } from '../outside.ts';
import type {
  Drift,
  LogLine,
  LogQuery,
  Outgoing,
  Place,
  PlaceInput,
  Planned,
  SecretFiles,
  TargetFile,
} from '../target.ts';

/** What every replica of a revision starts with. */
export interface Described extends Omit<PlaceInput, 'instance_id'> {
  /** The same for the same revision, so that a killed run finds its place. */
  name: string;
}

/** The platform's record of a revision. */
export interface ReplicaSet {
  name: string;
  revision_id: string;
  /** How many replicas it keeps. Its own scaler may have changed the number. */
  replicas: number;
  /** How a replica ended that has no successor which runs. Undefined after each `scale`. */
  last_exit?: { exit_code: number; out_of_memory: boolean };
  /** Why a replica cannot start now, in the platform's words. */
  obstacle?: string;
  /** As `Instance.not_limited`. */
  not_limited?: true;
}

export interface PlatformDrift extends Drift {
  /** The name of the description that it belongs to, for `remove`. */
  of: string;
}

/**
 * Runs as many equal replicas as it is told. It replaces a dead one by itself, gives none an address, and may have a scaler of its own.
 * `replicas/target.ts` makes a target of it.
 */
export interface Platform {
  /** It changes the number of replicas of this place itself, within `deploy.scaling`. */
  scalesItself?(place: Place): boolean;
  limits_egress?: false;
  isolations?: readonly Isolation[];
  /** As `Target.plan`. `name` is the one of the description. */
  plan?(planned: Planned): TargetPlan;
  /** As `Target.deliver`. */
  deliver(image: string, signal: AbortSignal): Promise<string>;
  /** Describes the revision. A new one has no replica; a repeated description changes nothing. */
  describe(described: Described, signal: AbortSignal): Promise<{ place: Place; artefacts: TargetFile[] }>;
  /**
   * From now on so many replicas. New ones start with these files; undefined: with those of before. Those named in `leaving` are the first to
   * end. A replica says its name itself, so a name of another description means nothing. A description that is missing is no error.
   */
  scale(
    name: string,
    to: { replicas: number; files?: SecretFiles; leaving?: string[] },
    signal?: AbortSignal,
  ): Promise<void>;
  /** Undefined for a missing one. */
  observe(name: string, signal?: AbortSignal): Promise<ReplicaSet | undefined>;
  /** With all of its replicas. A missing one is no error. */
  remove(name: string, signal?: AbortSignal): Promise<void>;
  /** Of one replica of this description. Nothing for one that is gone, or belongs to another description: it has said its name itself. */
  logs(name: string, replica: string, query: LogQuery): AsyncIterable<LogLine>;
  /** Where a replica finds the door. */
  outgoing(place: Place): Promise<Outgoing>;
  /**
   * What somebody changed by hand, by the ledger that the platform writes. `told`: how many replicas each revision was asked to have; undefined: its
   * scaler decides. A revision that is not among them has no instance, and what it has is not looked at.
   */
  drift?(told: ReadonlyMap<string, number | undefined>, signal: AbortSignal): Promise<PlatformDrift[]>;
  /** As `Target.room`. */
  room(signal?: AbortSignal): Promise<{ memory_bytes: number; used_bytes: number }>;
  /** All of this installation. */
  list(signal?: AbortSignal): Promise<ReplicaSet[]>;
}
