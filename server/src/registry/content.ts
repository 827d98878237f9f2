// The parts of a version. One digest over all of them is approved, built and deployed. Another byte of a file, another lock,
// another base image or another resolved reference gives another digest.
import { createHash } from 'node:crypto';
import { canonicalJson } from '../audit/canonical-json.ts';

export interface ManifestFile {
  path: string;
  sha256: string;
  size: number;
}

/** A reference of agent.yaml, resolved at the push. */
export interface Pin {
  /** As printed by refs.ts: tools/search */
  ref: string;
  asset_id: string;
  version: string;
  digest: string;
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
  config: Record<string, unknown>;
  /** Sorted by path. */
  manifest: ManifestFile[];
  lock: string;
  dependencies: Dependencies;
  base_image: string;
  python: string;
  pins: Pin[];
}

/** For an asset without files. */
export function configOnly(config: Record<string, unknown>, pins: Pin[]): Content {
  return {
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
export function contentDigest({ config, manifest, lock, base_image, python, pins }: Content): string {
  return digestOf({ schema: 1, config, manifest, lock, base_image, python, pins });
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
