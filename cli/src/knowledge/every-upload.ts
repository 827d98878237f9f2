import type { KnowledgeUpload } from '@gantry/contract/agents/knowledge-uploads.ts';
import type { Session } from '../session/session.ts';

/** The files that the base has, from all pages. */
export async function everyUpload(session: Session, name: string): Promise<KnowledgeUpload[]> {
  const items: KnowledgeUpload[] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: 200, ...(cursor !== undefined && { cursor }) };
    const page = await session.call('knowledge.uploads', { params: { name }, query });
    items.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return items;
}
