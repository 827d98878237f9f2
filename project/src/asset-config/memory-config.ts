import { z } from 'zod';
import { environmentName } from '@gantry/contract/identifiers.ts';
import { refTo } from '@gantry/contract/assets/ref-to.ts';
import { listOf } from '@gantry/contract/formats/list-of.ts';

const modelRef = refTo('model', 'models');

/** As langgraph writes it; `$` is the whole item. */
const itemPath = z.string().min(1).max(500);
const most_paths = 100;

/** An agent's memory of a conversation, and its store. */
export const memoryConfig = z
  .strictObject({
    kind: z
      .enum(['buffer', 'window', 'summary'])
      .default('buffer')
      .describe(
        '`buffer` keeps everything, `window` the newest part, `summary` the newest part and a summary of the rest by a model',
      ),
    max_messages: z.int().min(1).max(100_000).optional().describe('The most messages that are kept unchanged'),
    max_tokens: z.int().min(1).max(10_000_000).optional().describe('The most tokens that are kept unchanged'),
    model: z
      .union([modelRef.text, modelRef.map])
      .optional()
      .describe('The model of the registry that summarises: models/<name>'),
    embedding: z
      .union([modelRef.text, modelRef.map])
      .optional()
      .describe('The model of the registry by which items of the store are found by meaning: models/<name>'),
    search: listOf(itemPath, most_paths)
      .min(1)
      .optional()
      .describe('The paths of an item whose texts are searched, such as `text` or `facts[*].text`; unset: all texts'),
    ttl_seconds: z
      .int()
      .min(1)
      .max(315_360_000)
      .optional()
      .describe('How long threads and items are kept after their last use; unset: as `svc org set memory_kept_days`'),
    scope: z
      .enum(['user', 'agent', 'team'])
      .default('user')
      .describe(
        'Who shares the items of the store: `user` each caller alone, `agent` all callers of the agent, `team` all callers of the agents of its team with this config',
      ),
    store: z
      .enum(['container', 'redis', 'postgres'])
      .default('container')
      .describe('Where it is kept: `container` means by the service. An agent cannot name a config with another one'),
    secret: environmentName.optional().describe('The name of the secret that holds the address of the store'),
  })
  .superRefine(({ kind, max_messages, max_tokens, model, store, secret }, context) => {
    const fault = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    if (kind !== 'buffer' && max_messages === undefined && max_tokens === undefined)
      fault('max_messages', `is missing, and so is \`max_tokens\`; \`${kind}\` needs one of them`);
    if (kind === 'summary' && model === undefined) fault('model', 'is missing; `summary` needs it');
    if (kind !== 'summary' && model !== undefined) fault('model', 'belongs to `kind: summary`');
    if (store !== 'container' && secret === undefined) fault('secret', `is missing; the store \`${store}\` needs it`);
    if (store === 'container' && secret !== undefined) fault('secret', 'belongs to a store outside of the container');
  });

export type MemoryConfig = z.output<typeof memoryConfig>;
