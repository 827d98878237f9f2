import type { ResourceLimits } from '@gantry/contract/agent-yaml.ts';

// A target is where revisions run. The pipeline speaks only this interface; the map of all targets is total over the contract's list.

export interface PlaceInput {
  agent: string;
  revision_id: string;
  run_id: string;
  fence: number;
  /** `sha256:…` */
  image: string;
  resources: ResourceLimits;
}

/** What the ledger keeps of a place; enough to find it again after a restart. */
export interface Place {
  target: 'local';
  container_name: string;
  container_id: string;
}

export interface ProvisionedPlace extends Place {
  /** A compose file that describes the same container. Run by hand it gives one without key or route. */
  compose_file: string;
}

export interface Instance {
  place: Place;
  revision_id: string;
  run_id: string;
  state: 'created' | 'running' | 'exited' | 'gone';
  /** On the agents' network, while it runs. */
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
  /** UTC, ISO 8601; a line of this very instant is given too. */
  since?: string | undefined;
  /** Only the last so many lines of what is there. */
  tail?: number | undefined;
  signal: AbortSignal;
}

/** Name → value: what the wrapper puts into its environment, so that nothing of it shows in the engine. */
export type SecretFiles = Record<string, string>;

export interface Target {
  /** Makes the place, or takes up the one that this run made before a crash. */
  provision(input: PlaceInput, signal: AbortSignal): Promise<ProvisionedPlace>;
  /** Puts the secrets in place and starts. Starting what runs changes nothing. Throws `start_failed` when there is no such place. */
  start(place: Place, secrets: SecretFiles, signal: AbortSignal): Promise<Instance>;
  observe(place: Place, signal?: AbortSignal): Promise<Instance>;
  /** Tells the agent to take no new calls. */
  drain(place: Place, signal?: AbortSignal): Promise<void>;
  /** Asks it to end, and ends it after `grace_seconds`. Stopping what does not run changes nothing. */
  stop(place: Place, o: { grace_seconds: number }, signal?: AbortSignal): Promise<void>;
  /** Removes the place and its secrets. Nothing happens when it is gone already. */
  release(place: Place, signal?: AbortSignal): Promise<void>;
  logs(place: Place, query: LogQuery): AsyncIterable<LogLine>;
  /** Everything of this installation, whatever its state. */
  list(signal?: AbortSignal): Promise<Instance[]>;
}
