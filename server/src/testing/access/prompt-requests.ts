// Requests about prompts.
import type { Client } from '@gantry/contract/client/client.ts';

type MakePrompt = (at: unknown, look: string) => Promise<{ params: { name: string } }>;

export const promptRequests = (prompt: MakePrompt, admin: () => Client) => ({
  // Only an agent has these, at its door.
  'own_prompts.list': () => ({}),
  'own_prompts.show': () => ({ params: { key: 'system' } }),
  'own_prompts.render': () => ({ params: { key: 'system' }, body: {} }),
  'prompts.labels': prompt,
  'prompts.label_moves': prompt,
  // Nobody has approved this text.
  'prompts.move_label': async (at: unknown, look: string) => {
    const { name } = (await prompt(at, look)).params;
    return { params: { name, label: 'production' }, body: { version: '1.0.0' } };
  },
  // A draft of nothing, for those who may try one.
  'prompts.try': async (at: unknown, look: string) => ({
    ...(await prompt(at, look)),
    body: { draft: {}, model: 'models/any' },
  }),
  'prompts.examples': prompt,
  'prompts.add_example': async (at: unknown, look: string) => ({
    ...(await prompt(at, look)),
    body: { name: 'first', variables: {} },
  }),
  'prompts.delete_example': async (at: unknown, look: string) => {
    const { name } = (await prompt(at, look)).params;
    await admin().call('prompts.add_example', { params: { name }, body: { name: 'one' } });
    return { params: { name, example: 'one' } };
  },
  'prompts.render': async (at: unknown, look: string) => ({ ...(await prompt(at, look)), body: {} }),
});
