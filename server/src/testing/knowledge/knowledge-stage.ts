// Knowledge bases of a real service, refreshed by its own worker.
import type { Client } from '@gantry/contract/client/client.ts';
import type { KnowledgeRefresh } from '@gantry/contract/agents/knowledge.ts';

/** Until it has ended. */
export async function refreshed(
  client: Client,
  endpoint: 'knowledge.refresh' | 'knowledge.refresh_index',
  name: string,
): Promise<KnowledgeRefresh> {
  const { id } = await client.call(endpoint, { params: { name } });
  const events = await client.call('refreshes.events', { params: { id } });
  for await (const { data } of events) if (data.kind === 'end') break;
  return await client.call('refreshes.show', { params: { id } });
}
