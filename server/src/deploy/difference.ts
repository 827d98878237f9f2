// What would change between two contents: every value of the config by its path, files by their hashes, packages by the lock, the base image.
import type { Plan } from '@gantry/contract/deploy.ts';
import type { Content } from '../registry/content.ts';

type Changes = Plan['changes'];
type Compared = Pick<Content, 'config' | 'manifest' | 'dependencies' | 'base_image'>;
type Json = Changes['config'][number]['before'];

/** Against nothing, everything is new. */
export function difference(before: Compared | undefined, after: Compared): Changes {
  const bases = { before: before?.base_image ?? '', after: after.base_image };
  return {
    config: configChanges(before?.config ?? {}, after.config),
    files: fileChanges(before?.manifest ?? [], after.manifest),
    dependencies: packageChanges(before?.dependencies.packages ?? [], after.dependencies.packages),
    base_image: before === undefined || bases.before === bases.after ? null : bases,
  };
}

export function isEmpty({ config, files, dependencies, base_image }: Changes): boolean {
  return config.length + files.length + dependencies.length === 0 && base_image === null;
}

function configChanges(before: Record<string, unknown>, after: Record<string, unknown>): Changes['config'] {
  const [old, new_] = [leaves(before), leaves(after)];
  return inBoth(old.keys(), new_.keys()).flatMap((path) => {
    const [was, is] = [old.get(path) ?? null, new_.get(path) ?? null];
    return JSON.stringify(was) === JSON.stringify(is) ? [] : [{ path, before: was, after: is }];
  });
}

/** Lists are compared as a whole: an entry has no name of its own. */
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

function fileChanges(before: Content['manifest'], after: Content['manifest']): Changes['files'] {
  const [old, new_] = [before, after].map((files) => new Map(files.map(({ path, sha256 }) => [path, sha256]))) as [
    Map<string, string>,
    Map<string, string>,
  ]; // two in, two out
  return inBoth(old.keys(), new_.keys()).flatMap((path) => {
    const [was, is] = [old.get(path), new_.get(path)];
    if (was === is) return [];
    return [{ path, change: was === undefined ? 'added' : is === undefined ? 'removed' : 'changed' }];
  });
}

function packageChanges(
  before: Content['dependencies']['packages'],
  after: Content['dependencies']['packages'],
): Changes['dependencies'] {
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
