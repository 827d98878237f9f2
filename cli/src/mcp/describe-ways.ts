// The ways of an entry of an MCP registry for people: which can be taken, and why the others cannot.
import type { ServerWay } from '@gantry/contract/assets/outside-registry.ts';
import { bad, faint, good, line, strong, type View } from '../view/view.ts';

export function waysView(ways: readonly ServerWay[], chosen: ServerWay): View {
  return ways.flatMap((way, at) => [
    line(
      way.config === null ? bad('✗ ') : good('✓ '),
      `${at + 1} `,
      way === chosen ? strong(way.of) : way.of,
      way.reason === null ? '' : `: ${way.reason}`,
    ),
    ...(way === chosen ? details(way) : []),
  ]);
}

function details({ variables, left_out }: ServerWay): View {
  return [
    ...variables.map(({ name, description, is_required, is_secret }) => {
      const sort = `${is_required ? 'needed' : 'optional'} ${is_secret ? 'secret' : 'variable'}`;
      return line(faint(`    ${sort} ${name}${description === '' ? '' : `: ${description}`}`));
    }),
    ...left_out.map((what) => line(faint(`    left out: ${what}`))),
  ];
}
