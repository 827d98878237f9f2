// The parts of a version. One digest over all of them is approved, built and deployed. Another byte of a file, another lock,
// another base image or another resolved reference gives another digest.
import { createHash } from 'node:crypto';
import { parseAnyRef, parseLabelRef } from '@gantry/contract/refs.ts';
import { canonicalJson } from '../../governance/audit/canonical-json.ts';

export interface ManifestFile {
  path: string;
  sha256: string;
  size: number;
}

/** A reference of agent.yaml, resolved at the push. */
export interface Pin {
  /** As printed by refs.ts: tools/search, agents/search@1.0.0, or prompts/greeting@production */
  ref: string;
  asset_id: string;
  /** For an agent, an orchestration or a label of a prompt, the version and digest that the push saw. The digest of schema 3 leaves them out. */
  version: string;
  digest: string;
  /** For an MCP server, the digest of the list of tools that was pinned at the push. Absent: none was. */
  tools?: string;
}

interface BuiltWheel {
  /** docopt-0.6.2-py2.py3-none-any.whl */
  file: string;
  /** The lock has it too, so an approval covers these bytes. */
  sha256: string;
}

export interface Dependencies {
  packages: { name: string; version: string }[];
  /** Names of packages that were built from source. */
  built_from_source: string[];
  /** The built wheels. They are kept with the files and installed at every build. Absent where nothing was built. */
  wheels?: BuiltWheel[];
  /** Why the packages for tracing are not among them. */
  untraced?: string;
}

export interface Content {
  /**
   * With 1, `base_image` is the id of the image in the engine of the push. With 2 it is the pin, the same on every engine. With 3, which
   * only contents with pinned agents, orchestrations or labels have, the digest also covers just the reference and the id of these.
   */
  schema: 1 | 2 | 3;
  config: Record<string, unknown>;
  /** Sorted by path. */
  manifest: ManifestFile[];
  lock: string;
  dependencies: Dependencies;
  base_image: string;
  python: string;
  pins: Pin[];
}

/** The schema of new content. Content without these keeps the digest of its earlier push. */
export function schemaOf(pins: readonly Pin[], otherwise: 1 | 2): Content['schema'] {
  return pins.some(changesAlone) ? 3 : otherwise;
}

/** Agents and orchestrations are deployed and approved on their own, so their content is no part of a reference to them. */
export function isDeployedAlone({ ref }: Pin): boolean {
  const kind = parseAnyRef(ref)?.kind;
  return kind === 'agent' || kind === 'orchestration';
}

/** Its content changes by governed changes of its own: a deploy, or the move of a label. */
export const changesAlone = (pin: Pin): boolean => isDeployedAlone(pin) || parseLabelRef(pin.ref) !== undefined;

/** The parts of pins that decide whether two contents have the same references. */
export function pinned(pins: readonly Pin[]): Partial<Pin>[] {
  return pins.map((pin) => (changesAlone(pin) ? { ref: pin.ref, asset_id: pin.asset_id } : pin));
}

/** For an asset without files. It has no base image. Schema 1 keeps the digest of an unchanged config. */
export function configOnly(config: Record<string, unknown>, pins: Pin[]): Content {
  return {
    schema: schemaOf(pins, 1),
    config,
    manifest: [],
    lock: '',
    dependencies: { packages: [], built_from_source: [] },
    base_image: '',
    python: '',
    pins,
  };
}

/** `sha256:…` over everything except the resolver's remarks, because they follow from the lock. */
export function contentDigest({ schema, config, manifest, lock, base_image, python, pins }: Content): string {
  return digestOf({ schema, config, manifest, lock, base_image, python, pins: schema === 3 ? pinned(pins) : pins });
}

/** `sha256:…` over the author's files, without anything resolved. */
export function sourceDigest({ config, manifest }: Pick<Content, 'config' | 'manifest'>): string {
  return digestOf({ schema: 1, config, manifest });
}

export function digestOf(value: unknown): string {
  return `sha256:${sha256(canonicalJson(value))}`;
}

export function sha256(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The files' paths and hashes, in one order for every order of the archive. */
export function manifestOf(files: ReadonlyMap<string, Uint8Array>): ManifestFile[] {
  const entries = [...files].map(([path, bytes]) => ({ path, sha256: sha256(bytes), size: bytes.length }));
  return entries.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
