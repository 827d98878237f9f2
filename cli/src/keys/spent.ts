import { Problem } from '@gantry/contract/problems.ts';
import type { Session } from '../session/session.ts';

/** What calls by each key have cost in the last 30 days, by the key's first characters. Without a key: it has no call that you may see. */
export async function spentByKey(session: Session): Promise<(prefix: string) => string> {
  const rows = await session.call('costs.report', { query: { by: 'key' } }).then(
    (report) => report.rows,
    (error: unknown) => {
      // A service principal may list keys, and not costs.
      if (error instanceof Problem && error.code === 'forbidden') return undefined;
      throw error;
    },
  );
  if (rows === undefined) return () => 'you may not see it';
  const spent = new Map(rows.map(({ of, usd }) => [of.key ?? '', usd]));
  return (prefix) => `$${spent.get(prefix) ?? '0.00'}`;
}
