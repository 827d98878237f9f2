import { z } from 'zod';
import { environmentName } from '@gantry/contract/identifiers.ts';
import { httpAddress } from './http-address.ts';
import { jsonSchema, parametersSchema } from './json-schema.ts';

const ofHttp = ['url', 'method', 'timeout_seconds', 'secret'] as const;

/** An action of an agent: a function of its own code, or a call of an address. */
export const tool = z
  .strictObject({
    type: z
      .enum(['function', 'http'])
      .default('function')
      .describe('`function` runs in the code of the agent, `http` calls `url`'),
    parameters: parametersSchema
      .default({ type: 'object', properties: {} })
      .describe('Its parameters, as the JSON Schema of an object'),
    returns: jsonSchema.optional().describe('Its result, as a JSON Schema'),
    url: httpAddress.optional().describe('The address that an `http` tool calls'),
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).optional().describe('The HTTP method; unset: POST'),
    timeout_seconds: z.int().min(1).max(600).optional().describe('How long a call may take; unset: 30'),
    secret: environmentName.optional().describe('The name of the secret that is sent as a bearer token'),
  })
  .superRefine(({ type, ...config }, context) => {
    if (type === 'http' && config.url === undefined)
      context.addIssue({ code: 'custom', path: ['url'], message: 'is missing; an `http` tool needs it' });
    if (type === 'function')
      for (const field of ofHttp)
        if (config[field] !== undefined)
          context.addIssue({ code: 'custom', path: [field], message: 'belongs to tools of `type: http`' });
  });
