import type { ResourceLimits } from '@gantry/contract/agent-yaml.ts';

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
  resources: ResourceLimits;
  /** The outside destinations of the instance. Undefined: not limited. */
  egress?: string[] | undefined;
}

/** JSON of the target, stored with the instance. It identifies the place after a restart of the service. */
export type Place = Readonly<Record<string, unknown>>;

/** A file for people and their tools. It has no secret. */
export interface Artefact {
  file: string;
  content: string;
}

export interface Provisioned {
  place: Place;
  artefacts: Artefact[];
}

/** The target's record of an instance. */
export interface Instance {
  place: Place;
  /** Empty for a place that is gone, as the other members with an identity. */
  instance_id: string;
  revision_id: string;
  name: string;
  state: 'created' | 'running' | 'exited' | 'gone';
  /** While it runs. See `reach`. */
  url?: string;
  exit_code?: number;
  out_of_memory: boolean;
  started_at?: string;
  finished_at?: string;
}

/** How a request gets to an instance. */
export interface Reach {
  url: string;
  /** For the target's own entrance, if it has one. */
  headers: Record<string, string>;
}

interface Outgoing {
  /** The model gateway, as the instance finds it. */
  gateway_url: string;
  /** Where the instance finds its subagents. */
  subagents_url: string;
  /** The only way to the outside. Undefined: not limited. */
  proxy_url?: string;
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
  /** Makes the agent accept no new calls. */
  drain(place: Place, signal?: AbortSignal): Promise<void>;
  /** Asks the instance to end, and kills it after `grace_seconds`. A stopped one stays unchanged. */
  stop(place: Place, o: { grace_seconds: number }, signal?: AbortSignal): Promise<void>;
  /** Removes the place and its secrets. A missing place is no error. */
  release(place: Place, signal?: AbortSignal): Promise<void>;
  logs(place: Place, query: LogQuery): AsyncIterable<LogLine>;
  /** Its memory for instances, and the sum of the limits of those that run. */
  room(signal?: AbortSignal): Promise<{ memory_bytes: number; used_bytes: number }>;
  /** All instances of this installation, in every state. */
  list(signal?: AbortSignal): Promise<Instance[]>;
}
