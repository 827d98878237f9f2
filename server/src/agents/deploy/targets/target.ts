import type { OutsideResource } from './outside.ts';
import type { ResourceLimits } from '@gantry/project/agent-yaml.ts';
import type { Isolation } from '@gantry/project/agent-yaml/config.ts';
import type { ScalerRule } from '@gantry/project/agent-yaml/scaling.ts';
import type { TargetPlan } from './outside.ts';

// A target runs instances of revisions. Nothing outside targets/ knows more of a target than this interface.

export interface PlaceInput {
  instance_id: string;
  revision_id: string;
  agent: string;
  /** The same for the same instance, so that a killed run finds its place. */
  name: string;
  /** Grows with every attempt. A place of a newer attempt stays unchanged. */
  fence: number;
  /** From `deliver`. */
  image: string;
  /** What the process starts with. No secret. */
  variables: Readonly<Record<string, string>>;
  resources: ResourceLimits;
  /** The outside destinations of the instance. Undefined: not limited. */
  egress?: string[] | undefined;
  /** What is between its code and the kernel of the machine. Undefined: what the target has for every instance. */
  isolation?: Isolation | undefined;
  /** Where the use of the processor is the only rule, a target with a scaler may scale by it. Undefined: only the service sets the number. */
  scaler?: ScalerRule | undefined;
}

/** A revision before its build. `image`, `revision_id`, `fence` and the name have stand-ins in the form of real ones. */
export interface Planned extends Omit<PlaceInput, 'instance_id'> {
  /** From `deploy.scaling`. */
  scaling: { min: number; max: number };
  /** Names: `deploy.secrets`. */
  secrets: readonly string[];
  /** Those of the agent and of the service, by their names. Each value is a stand-in in angle brackets. */
  files: SecretFiles;
}

/** JSON of the target, stored with the instance. It identifies the place after a restart of the service. */
export type Place = Readonly<Record<string, unknown>>;

/** An instance as the tables know it. */
export interface Placed {
  instance_id: string;
  name: string;
  /** Null when its making was interrupted or has not begun. The target may still have it, under this name and id. */
  place: Place | null;
}

/** A file for people and their tools. It has no secret. */
export interface TargetFile {
  file: string;
  content: string;
}

export interface Provisioned {
  place: Place;
  artefacts: TargetFile[];
}

/** The target's record of an instance. */
export interface Instance {
  place: Place;
  /** Empty when the place is gone, like `revision_id` and `name`. */
  instance_id: string;
  revision_id: string;
  name: string;
  state: 'created' | 'running' | 'exited' | 'gone';
  /** While it runs. See `reach`. */
  url?: string;
  exit_code?: number;
  out_of_memory: boolean;
  /** Why it is not yet started, in the words of its platform. */
  obstacle?: string;
  /** It was made with limits of its outgoing connections and found none in effect, so its own code did not start. */
  not_limited?: true;
  started_at?: string;
  finished_at?: string;
}

/** A difference between what the service has described and what is there. */
export interface Drift extends OutsideResource {
  revision_id: string | null;
  what: 'missing' | 'foreign' | 'changed';
  /** In one line, without a value: also a variable may have been made a secret by hand. */
  detail: string;
}

/** How a request gets to an instance. */
export interface Reach {
  url: string;
  /** For the target's own entrance, if it has one. */
  headers: Record<string, string>;
}

export interface Outgoing {
  /** The door of the service, as the instance finds it. Without a slash at its end. */
  service_url: string;
  /** The only way to the outside. Undefined: not limited. */
  proxy_url?: string;
  /** The proxy knows the instance by the token of its revision, and not by its address. The instance reaches the door without it. */
  proxy_asks_token?: true;
  /** The only authority that the door's certificate may have, as PEM, for an instance that dials in. Undefined: those of its system. */
  ca?: string;
}

export interface LogLine {
  at: string;
  stream: 'stdout' | 'stderr';
  line: string;
}

export interface LogQuery {
  follow?: boolean;
  /** UTC, ISO 8601. The result includes lines of this instant. */
  since?: string | undefined;
  /** The number of last lines to read. */
  tail?: number | undefined;
  /** Masked in every line: today's values, and the ones that the place got under these names. */
  secrets: Secrets;
  signal: AbortSignal;
}

/** By name; undefined for a name that is no longer set. */
export type Secrets = Record<string, string | undefined>;

/** Names and values for the wrapper's environment. The engine's records have none of them. */
export type SecretFiles = Record<string, string>;

export interface Target {
  /**
   * Its instances have no address, and open connections to the door themselves. Their `url` is a `dialledUrl`. `alone`: each start has a token of its
   * own. `as one of many`: a platform makes replicas, and a process that joins becomes one of the instances that are asked for.
   */
  dials_in?: 'alone' | 'as one of many';
  /** It changes the number of instances of this revision itself, within `deploy.scaling`. */
  scalesItself?(place: Place): boolean;
  /** For a place that it scales itself. True when it keeps fewer than were asked for. */
  hasRemoved?(place: Place, signal: AbortSignal): Promise<boolean>;
  /** Those that it has for an instance. Undefined: none. */
  isolations?: readonly Isolation[];
  /** It cannot limit what an instance reaches outside. */
  limits_egress?: false;
  /**
   * What a deploy would send, made by the functions that make it in a deploy. Without I/O. Throws a `Problem` where it cannot say it, such as for a size
   * that no vendor has. Undefined for a target that has nothing outside of the engine's containers.
   */
  plan?(planned: Planned): TargetPlan;
  /** Brings the built image to the target. Returns the name under which the target finds exactly this image. */
  deliver(image: string, signal: AbortSignal): Promise<string>;
  /** Makes the place, or reuses the one of an earlier attempt with the same fence. Throws `egress_not_enforced`. */
  provision(input: PlaceInput, signal: AbortSignal): Promise<Provisioned>;
  /** Writes the secrets and starts. A running instance stays unchanged. Throws `start_failed` when the place is missing, and `egress_not_enforced`. */
  start(place: Place, secrets: SecretFiles, signal: AbortSignal): Promise<Instance>;
  observe(place: Place, signal?: AbortSignal): Promise<Instance>;
  /** Every request to an instance uses it: probes, health and calls. Needs no connection to the engine. `url` is the one of the last start. */
  reach(place: Place, url: string): Promise<Reach>;
  /** What the instance reaches outside itself. Throws `egress_not_enforced`. */
  outgoing(place: Place): Promise<Outgoing>;
  /** Makes an agent whose wrapper has no route for it accept no new calls. */
  signalDrain(place: Place, signal?: AbortSignal): Promise<void>;
  /** Asks the instance to end, and kills it after `grace_seconds`. A stopped one stays unchanged. */
  stop(place: Place, o: { grace_seconds: number }, signal?: AbortSignal): Promise<void>;
  /** Removes the instance and its secrets. A missing one is no error. */
  release(placed: Placed, signal?: AbortSignal): Promise<void>;
  logs(place: Place, query: LogQuery): AsyncIterable<LogLine>;
  /** What somebody changed by hand. Undefined for a target that has nothing to compare. */
  drift?(signal: AbortSignal): Promise<Drift[]>;
  /** Removes what has the label of this installation and is not in the ledger. Returns it. */
  removeForeign?(signal: AbortSignal): Promise<OutsideResource[]>;
  /** Its memory for instances, and the sum of the limits of those that run. */
  room(signal?: AbortSignal): Promise<{ memory_bytes: number; used_bytes: number }>;
  /** All instances of this installation, in every state. */
  list(signal?: AbortSignal): Promise<Instance[]>;
}
