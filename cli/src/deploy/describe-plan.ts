import type { Plan } from '@gantry/contract/deploy.ts';
import { bad, faint, good, line, type Text, type View, warn } from '../view/view.ts';

/** Every check's verdict, then what would change. */
export function describePlan(plan: Plan): View {
  return [
    line(
      { text: plan.ref, style: 'strong' },
      `  to ${plan.target}  `,
      plan.deployable ? good('can be deployed') : bad('cannot be deployed'),
    ),
    ...plan.verdicts.map(({ check, verdict, detail }) =>
      line('  ', verdictSign(verdict), check, detail === '' ? '' : faint(`  ${detail}`)),
    ),
    ...describeChanges(plan),
  ];
}

export function describeChanges({ changes, running, ref }: Plan): View {
  if (running === null) return [line('Nothing of this agent runs yet: all of it is new.')];
  if (!hasChanges(changes)) return [line(`Nothing changes: ${running} has the same content.`)];
  return [
    line(`${running} → ${ref}`),
    ...changes.config.map(({ path, before, after }) =>
      line('  ', warn('~ '), `${path}: `, bad(print(before)), ' → ', good(print(after))),
    ),
    ...changes.files.map(({ path, change }) => line('  ', changeSign(change), path, faint(`  ${change}`))),
    ...changes.dependencies.map(({ package: name, before, after }) =>
      line('  ', warn('~ '), `${name}: `, bad(before ?? 'absent'), ' → ', good(after ?? 'absent')),
    ),
    ...(changes.base_image === null
      ? []
      : [line('  ', warn('~ '), `base image: ${changes.base_image.before} → ${changes.base_image.after}`)]),
  ];
}

export function hasChanges(changes: Plan['changes']): boolean {
  return changes.config.length + changes.files.length + changes.dependencies.length > 0 || changes.base_image !== null;
}

function verdictSign(verdict: Plan['verdicts'][number]['verdict']): Text {
  return { pass: good('✓ '), fail: bad('✗ '), notice: warn('· ') }[verdict];
}

function changeSign(change: 'added' | 'removed' | 'changed'): Text {
  return { added: good('+ '), removed: bad('- '), changed: warn('~ ') }[change];
}

function print(value: unknown): string {
  return value === null || value === undefined ? 'absent' : typeof value === 'string' ? value : JSON.stringify(value);
}
