// The difference between two contents: config, files, packages of the lock, base image, and reach. Values of the config are compared by
// path, files by hash and text, tools by the text of their servers. Pure; a review, a plan and a refusal show the same.
import type { Difference } from '@gantry/contract/assets/difference.ts';
import type { Content } from '../content.ts';
import type { StoredContent } from '../content-store.ts';
import { fileDiffs } from './file-diffs.ts';
import { toolChanges, type ApprovedTool } from '../tool-lists/approved-tools.ts';
import { reachOf, type Reaching } from './reach.ts';

export type Compared = Pick<StoredContent, 'manifest' | 'dependencies' | 'base_image' | 'base_pin'> &
  Reaching & {
    /** Those of its MCP servers. */
    tools: readonly ApprovedTool[];
  };
type Json = Difference['config'][number]['before'];

/** Without an earlier content, everything is new. `bytes` are the files' by hash, for a reader with write access. */
export function difference(
  before: Compared | undefined,
  after: Compared,
  bytes: ReadonlyMap<string, Uint8Array> | 'not_permitted' = 'not_permitted',
): Difference {
  const bases = { before: before === undefined ? '' : baseOf(before), after: baseOf(after) };
  return {
    config: configChanges(before?.config ?? {}, after.config),
    files: fileDiffs(changedFiles(before?.manifest ?? [], after.manifest), bytes),
    dependencies: packageChanges(before?.dependencies.packages ?? [], after.dependencies.packages),
    base_image: before === undefined || bases.before === bases.after ? null : bases,
    reach: reachOf(after, before),
    tools: toolChanges(before?.tools ?? [], after.tools),
  };
}

// An older content with an unknown pin shows the id of its image.
function baseOf({ base_pin, base_image }: Compared): string {
  return base_pin ?? base_image;
}

export function isEmpty({ config, files, dependencies, base_image, reach, tools }: Difference): boolean {
  const reaches = reach.filter(({ change }) => change !== 'same');
  return (
    config.length + files.length + dependencies.length + reaches.length + tools.length === 0 && base_image === null
  );
}

export interface ChangedFile {
  path: string;
  change: Difference['files'][number]['change'];
  was: Content['manifest'][number] | undefined;
  is: Content['manifest'][number] | undefined;
}

/** By path. */
export function changedFiles(before: Content['manifest'], after: Content['manifest']): ChangedFile[] {
  const [old, new_] = [byPath(before), byPath(after)];
  return inBoth(old.keys(), new_.keys()).flatMap((path) => {
    const [was, is] = [old.get(path), new_.get(path)];
    if (was?.sha256 === is?.sha256) return [];
    return [{ path, change: was === undefined ? 'added' : is === undefined ? 'removed' : 'changed', was, is }];
  });
}

function byPath(files: Content['manifest']): Map<string, Content['manifest'][number]> {
  return new Map(files.map((file) => [file.path, file]));
}

function configChanges(before: Record<string, unknown>, after: Record<string, unknown>): Difference['config'] {
  const [old, new_] = [leaves(before), leaves(after)];
  return inBoth(old.keys(), new_.keys()).flatMap((path) => {
    const [was, is] = [old.get(path) ?? null, new_.get(path) ?? null];
    return JSON.stringify(was) === JSON.stringify(is) ? [] : [{ path, before: was, after: is }];
  });
}

/** Lists are compared as a whole, because an entry has no name. */
function leaves(value: Record<string, unknown>, at = ''): Map<string, Json> {
  const found = new Map<string, Json>();
  for (const [key, member] of Object.entries(value)) {
    const path = at === '' ? key : `${at}.${key}`;
    if (typeof member === 'object' && member !== null && !Array.isArray(member)) {
      for (const [inner, leaf] of leaves(member as Record<string, unknown>, path)) found.set(inner, leaf); // no array, so an object of JSON
    } else found.set(path, member as Json); // it came out of JSON
  }
  return found;
}

function packageChanges(
  before: Content['dependencies']['packages'],
  after: Content['dependencies']['packages'],
): Difference['dependencies'] {
  const versions = (packages: typeof before) => new Map(packages.map(({ name, version }) => [name, version]));
  const [old, new_] = [versions(before), versions(after)];
  return inBoth(old.keys(), new_.keys()).flatMap((name) => {
    const [was, is] = [old.get(name) ?? null, new_.get(name) ?? null];
    return was === is ? [] : [{ package: name, before: was, after: is }];
  });
}

function inBoth(old: Iterable<string>, new_: Iterable<string>): string[] {
  return [...new Set([...old, ...new_])].toSorted();
}
