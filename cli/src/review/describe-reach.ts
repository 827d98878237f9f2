// What an asset reaches, the widest first, with the change of each line.
import { nameReach, reachesNoAddress, type ReachLine } from '@gantry/contract/assets/reach.ts';
import { bad, faint, good, line, type Text, type View, warn } from '../view/view.ts';

export function describeReach(reach: readonly ReachLine[]): View {
  if (reach.length === 0) return [];
  return [line('What it may reach, the widest first:'), ...reach.map(describeLine)];
}

/** In one line, of an agent that runs. */
export function reachInWords(reach: readonly ReachLine[]): Text[] {
  const named = reach.flatMap((one, at) => [
    at === 0 ? '' : ', ',
    one.unbounded ? warn(nameReach(one)) : nameReach(one),
  ]);
  return reachesNoAddress(reach) ? [...named, ', no address outside'] : named;
}

function describeLine(reached: ReachLine): View[number] {
  const { unbounded, change, instead_of, before, after, about } = reached;
  const name = nameReach(reached);
  const isGone = change === 'removed';
  const versions = before === after ? (after ?? '') : [before, after].filter((one) => one !== null).join(' → ');
  const until_now = instead_of.length === 0 ? '' : `; until now ${instead_of.join(', ')}`;
  const said = [words[change] + until_now, versions].filter((part) => part !== '').join('  ');
  const more = about === null ? '' : `  ${about}`;
  return line(
    '  ',
    signs[change],
    unbounded && !isGone ? warn(name) : name,
    faint(said === '' ? '' : `  ${said}`),
    faint(more),
  );
}

const words: Record<ReachLine['change'], string> = {
  same: '',
  added: 'new',
  removed: 'no longer',
  changed: 'changed',
  widened: 'widened',
  narrowed: 'narrowed',
};

const signs: Record<ReachLine['change'], Text> = {
  same: '  ',
  added: good('+ '),
  removed: bad('- '),
  changed: warn('~ '),
  widened: warn('+ '),
  narrowed: good('~ '),
};
