// The prompts that a server offers, in the form in which they are pinned.
import type { Client } from '@modelcontextprotocol/client';
import type { ListedPrompt } from '../../../assets/registry/tool-lists/tool-list.ts';

const most_prompts = 200;

/** None of a server without prompts. Throws for a list that is too long. */
export async function listPrompts(client: Client, timeout: number): Promise<ListedPrompt[]> {
  if (client.getServerCapabilities()?.prompts === undefined) return [];
  const { prompts } = await client.listPrompts(undefined, { cacheMode: 'bypass', timeout });
  if (prompts.length > most_prompts) throw new Error(`It lists more than ${most_prompts} prompts.`);
  return prompts.map(({ name, title, description, arguments: given }) => ({
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(given !== undefined && { arguments: given.map((one) => ({ ...one })) }),
  }));
}
