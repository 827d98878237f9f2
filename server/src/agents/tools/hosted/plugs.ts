// What hosted MCP servers need from outside: a builder of their images, and a runner of their programs. The container engine implements both.
import type { HostedPackage } from '@gantry/project/hosted-package.ts';
import type { HostedImage } from '../../../assets/registry/tool-lists/hosted-images.ts';

export type HostedLock = Pick<HostedImage, 'base_image' | 'python' | 'lock' | 'npm_lock'>;
type BuiltHosted = Pick<HostedImage, 'digest' | 'components'>;

export interface HostedBuilder {
  /** The pin of the present base image. Another one needs another lock. */
  baseImage(): Promise<string>;
  /** All packages by version and hash. Throws the refusals of a resolve (workshop/resolve). */
  lock(of: HostedPackage, o: { team_id: string; signal: AbortSignal }): Promise<HostedLock>;
  /** The same lock gives the same digest. Throws the refusals of an install. */
  build(of: HostedPackage, lock: HostedLock, o: { team_id: string; signal: AbortSignal }): Promise<BuiltHosted>;
  has(digest: string, signal: AbortSignal): Promise<boolean>;
}

export interface ProgramSpec {
  id: string;
  /** mcp-servers/<name> */
  server: string;
  /** The digest of its image. */
  image: string;
  package: HostedPackage;
  args: readonly string[];
  variables: Readonly<Record<string, string>>;
  secrets: Readonly<Record<string, string>>;
  /** `host:port`; empty: no network at all. */
  egress: readonly string[];
}

/** A started program: its standard streams. */
export interface Program {
  /** Throws when the program does not read. */
  write(text: string): void;
  /** Ends with the program, or with the connection to it. */
  output: AsyncIterable<{ from: 'stdout' | 'stderr'; bytes: Buffer }>;
  /** Why the output ended, in words. */
  whyEnded(): Promise<string>;
  /** Ends the connection. The program stays until `remove`. */
  close(): void;
}

export interface Runner {
  /** Throws `engine_unavailable` or `egress_not_enforced`. */
  start(spec: ProgramSpec, signal: AbortSignal): Promise<Program>;
  /** Ends the program and removes what it had, also when its start was interrupted. */
  remove(id: string): Promise<void>;
  /** The ids of all programs of the installation. */
  list(signal: AbortSignal): Promise<string[]>;
}

export interface HostedPlugs {
  builder: HostedBuilder;
  runner: Runner;
}
