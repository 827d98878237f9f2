import type { ReadingRight } from '@gantry/contract/roles.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Result } from '../result.ts';
import type { Session } from '../session/session.ts';
import { bad, faint, good, line, table } from '../view/view.ts';
import { readHolder, scopeOf, whatOf, whereOf } from './reading-grant.ts';

interface Asked {
  right: ReadingRight;
  principal: string | undefined;
  org: boolean;
}

/** Who has a right to read, by which role or grant, and what would change it. Exit 1 for no. */
export async function explainReading(session: Session, { right, principal, org }: Asked): Promise<Result> {
  const team = scopeOf(org, session.globals.team);
  const found = await session.call('grants.explain', {
    query: {
      right,
      ...(team === null ? {} : { team }),
      ...(principal === undefined ? {} : { principal: readHolder(principal) }),
    },
  });
  const { allowed, reason, holders, would_change } = found;
  const what = `${found.principal} ${allowed ? 'reads' : 'may not read'} the ${whatOf(right)} of ${whereOf(found)}`;
  return {
    data: found,
    view: [
      line(allowed ? good('✓ ') : bad('✗ '), `${what}: ${reason}`),
      ...(holders === null
        ? []
        : [
            table(
              ['who has it', 'by'],
              holders.map((holder) => [holder.principal, holder.because]),
              'Nobody has it.',
            ),
          ]),
      ...would_change.map((together, at) =>
        line(faint(at === 0 ? 'would change it: ' : '             or: '), together.join('  and  ')),
      ),
    ],
    exit: allowed ? exitCodes.done : exitCodes.refused,
  };
}
