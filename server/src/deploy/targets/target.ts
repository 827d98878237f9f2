import type { ResourceLimits } from '@gantry/contract/agent-yaml.ts';

// A target runs revisions. The pipeline uses only this interface. The map of targets has every target of the contract.

export interface PlaceInput {
  agent: string;
  revision_id: string;
  run_id: string;
  fence: number;
  /** `sha256:…` */
  image: string;
  resources: ResourceLimits;
  /** The outside destinations of the container. Undefined: not limited. */
  egress?: string[] | undefined;
}

/** The stored part of a place. It identifies the container after a restart. */
export interface Place {
  target: 'local';
  container_name: string;
  container_id: string;
  /** The outside destinations of the container. Undefined: not limited. */
  egress?: string[];
}

export interface ProvisionedPlace extends Place {
  /** A compose file of the same container. Run by hand, it starts one without key or route. */
  compose_file: string;
}

export interface Instance {
  place: Place;
  revision_id: string;
  run_id: string;
  state: 'created' | 'running' | 'exited' | 'gone';
  /** The address on the agents' network, while the container runs. */
  address?: string;
  /** `http://<address>:8080` */
  url?: string;
  exit_code?: number;
  out_of_memory: boolean;
  started_at?: string;
  finished_at?: string;
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
  /** Makes the place, or reuses the one that this run made before a crash. Throws `egress_not_enforced`. */
  provision(input: PlaceInput, signal: AbortSignal): Promise<ProvisionedPlace>;
  /** Writes the secrets and starts. A running container stays unchanged. Throws `start_failed` when the place is missing, and `egress_not_enforced`. */
  start(place: Place, secrets: SecretFiles, signal: AbortSignal): Promise<Instance>;
  observe(place: Place, signal?: AbortSignal): Promise<Instance>;
  /** Makes the agent accept no new calls. */
  drain(place: Place, signal?: AbortSignal): Promise<void>;
  /** Asks the container to end, and kills it after `grace_seconds`. A stopped container stays unchanged. */
  stop(place: Place, o: { grace_seconds: number }, signal?: AbortSignal): Promise<void>;
  /** Removes the place and its secrets. A missing place is no error. */
  release(place: Place, signal?: AbortSignal): Promise<void>;
  logs(place: Place, query: LogQuery): AsyncIterable<LogLine>;
  /** All containers of this installation, in every state. */
  list(signal?: AbortSignal): Promise<Instance[]>;
}
