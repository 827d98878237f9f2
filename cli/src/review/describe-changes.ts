// The difference against the running version, for reviewers and for planners of a deploy.
import type { Difference } from '@gantry/contract/assets/difference.ts';
import { describeReach } from './describe-reach.ts';
import { changedTools } from '../mcp/describe-tools.ts';
import { bad, faint, good, line, verbatim, type Text, type View, warn } from '../view/view.ts';

export interface Compared {
  changes: Difference;
  /** The compared version; null when there is none. */
  before: string | null;
  after: string;
}

export function describeChanges({ changes, before, after }: Compared): View {
  if (before === null)
    return [
      line(nothingBefore(after)),
      ...describeReach(changes.reach),
      ...changedTools(changes.tools),
      line(faint(sumOf(changes))),
    ];
  if (!hasChanges(changes))
    return [...describeReach(changes.reach), line(`Nothing changes: ${before} has the same content.`)];
  return [
    line(`${before} → ${after}`),
    ...describeReach(changes.reach),
    ...changedTools(changes.tools),
    ...changes.config.map((one) =>
      line('  ', warn('~ '), `${one.path}: `, bad(print(one.before)), ' → ', good(print(one.after))),
    ),
    ...changes.files.map(({ path, change, before_bytes, after_bytes }) =>
      line('  ', changeSign(change), path, faint(`  ${change}  ${sizes(before_bytes, after_bytes)}`)),
    ),
    ...changes.dependencies.map((one) =>
      line('  ', warn('~ '), `${one.package}: `, bad(one.before ?? 'absent'), ' → ', good(one.after ?? 'absent')),
    ),
    ...(changes.base_image === null
      ? []
      : [line('  ', warn('~ '), `base image: ${changes.base_image.before} → ${changes.base_image.after}`)]),
  ];
}

/** The changes in each file, or the reason why they are hidden. */
export function describeDiffs({ files }: Difference): View {
  return files.map(({ path, diff, no_diff }) =>
    diff === null ? line(`${path}: `, faint(reasons[no_diff ?? 'too_large'])) : verbatim(diff),
  );
}

export function hasChanges({ config, files, dependencies, base_image, reach, tools }: Difference): boolean {
  const reaches = reach.filter(({ change }) => change !== 'same');
  return config.length + files.length + dependencies.length + reaches.length + tools.length > 0 || base_image !== null;
}

const reasons = {
  not_permitted: 'its content is only for users with "write" on the asset',
  binary: 'not a text file',
  too_large: 'the change is too large to show',
} as const;

function nothingBefore(after: string): string {
  return after.startsWith('agents/')
    ? 'No revision of this agent runs yet: everything is new.'
    : 'No version is approved yet: everything is new.';
}

function sumOf({ files, dependencies }: Difference): string {
  const bytes = files.reduce((sum, file) => sum + (file.after_bytes ?? 0), 0);
  return `${counted(files.length, 'file')}, ${bytes} bytes, ${counted(dependencies.length, 'package')}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function sizes(before: number | null, after: number | null): string {
  return `${[before, after].filter((size) => size !== null).join(' → ')} bytes`;
}

function changeSign(change: 'added' | 'removed' | 'changed'): Text {
  return { added: good('+ '), removed: bad('- '), changed: warn('~ ') }[change];
}

function print(value: unknown): string {
  return value === null || value === undefined ? 'absent' : typeof value === 'string' ? value : JSON.stringify(value);
}
