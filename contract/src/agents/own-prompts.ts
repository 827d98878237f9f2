// The prompts of an agent, at the door: only the agent itself has these addresses, and its version names the prompts.
import { z } from 'zod';
import { ofKeysForAgents, type Endpoint } from '../endpoint.ts';
import { promptMessage, promptVariables, renderedPrompt } from './prompts.ts';

const byKey = z.strictObject({ key: z.string().max(100).describe('of `prompts` in its agent.yaml') });

const ofAgent = { surface: 'prompts', operation: 'prompt.read_own' } as const;
const ofRun = [...ofKeysForAgents, 'run_refused'] as const;

export const ownPrompt = z.object({
  key: z.string(),
  ref: z.string().describe('prompts/<name>@<version>'),
  label: z.string().nullable().describe('the label that means this version now; null without one in agent.yaml'),
  version: z.string(),
  digest: z.string(),
  messages: z.array(promptMessage).describe('with variables as `{{name}}`; a `template` is one message of the user'),
  variables: z.array(
    z.object({ name: z.string(), description: z.string().nullable(), default: z.string().nullable() }),
  ),
});
export type ShownPrompt = z.output<typeof ownPrompt>;

export const ownPromptsEndpoints = {
  'own_prompts.list': {
    ...ofAgent,
    method: 'GET',
    path: '/prompts',
    summary: 'The prompts of the agent that it may use, as they are now',
    reply: { kind: 'data', status: 200, schema: z.array(ownPrompt) },
    problems: ofRun,
  },
  'own_prompts.show': {
    ...ofAgent,
    method: 'GET',
    path: '/prompts/{key}',
    summary: 'One prompt of the agent as it is now',
    params: byKey,
    reply: { kind: 'data', status: 200, schema: ownPrompt },
    problems: ofRun,
  },
  'own_prompts.render': {
    ...ofAgent,
    method: 'POST',
    path: '/prompts/{key}/render',
    summary: 'The text of one prompt of the agent with these values; missing and unknown variables are named',
    params: byKey,
    body: z.strictObject({ variables: promptVariables }),
    reply: { kind: 'data', status: 200, schema: renderedPrompt },
    problems: [...ofRun, 'too_large'],
  },
} as const satisfies Record<string, Endpoint>;
