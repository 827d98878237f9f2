import type Docker from 'dockerode';
import type { SecretFiles } from '../target.ts';

/** Where a container finds its secrets: in memory, never in the engine's records, an image or on a disk. */
export interface SecretPlace {
  /** For the container's spec. */
  mount(container: string): Omit<Docker.MountSettings, 'Target' | 'ReadOnly'>;
  /** Makes what the container mounts. */
  prepare(container: string): Promise<void>;
  /** The container has these secrets, and no others, from its start in `start` on. */
  during(container: string, secrets: SecretFiles, start: () => Promise<void>): Promise<void>;
  /** The present values under these names, and the earlier ones that the place still knows. */
  values(container: string, names: readonly string[]): Promise<string[]>;
  remove(container: string): Promise<void>;
}
