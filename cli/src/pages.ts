import type { Page } from '@gantry/contract/endpoint.ts';
import { whole } from './command.ts';
import type { Session } from './session/session.ts';

export const limitFlag = whole('The most to list (default 50)', 'number', { least: 1, most: 10_000 });

/** The first `limit` items of a list, page by page, with a notice when there are more. */
export async function takePages<Item>(
  session: Session,
  limit: number | undefined,
  page: (query: { limit: number; cursor?: string }) => Promise<Page<Item>>,
): Promise<Item[]> {
  const wanted = limit ?? 50;
  const items: Item[] = [];
  let cursor: string | undefined;
  while (items.length < wanted) {
    const answer = await page({
      limit: Math.min(200, wanted - items.length),
      ...(cursor === undefined ? {} : { cursor }),
    });
    items.push(...answer.items);
    cursor = answer.next_cursor ?? undefined;
    if (cursor === undefined) return items;
  }
  session.output.notice(`These are the first ${wanted}. For more: --limit ${Math.max(50, wanted * 4)}`);
  return items;
}
