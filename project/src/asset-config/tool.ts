import { z } from 'zod';
import { environmentName } from '@gantry/contract/identifiers.ts';
import { text, usd } from '@gantry/contract/wire.ts';
import { callRate } from '../call-limits.ts';
import { dataFlow } from '../data-flow.ts';
import { callPolicyFields } from '../call-rules/config.ts';
import { placeFaults } from '../http-tool/place-faults.ts';
import { isFreeHeader, parameterPlaces } from '../http-tool/places.ts';
import { httpAddress } from './http-address.ts';
import { jsonSchema, parametersSchema } from './json-schema.ts';

const ofHttp = {
  url: httpAddress
    .optional()
    .describe('The address that an `http` tool calls; {name} in its path is the parameter of this name'),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).optional().describe('The HTTP method; unset: POST'),
  places: z
    .record(z.string().max(100), parameterPlaces)
    .optional()
    .describe(
      'Where parameters go: `query`, `header`, or `body` for the one that is the whole body. Unset: the query of GET and DELETE, and a member of the JSON body of others',
    ),
  timeout_seconds: z
    .int()
    .min(1)
    .max(600)
    .optional()
    .describe('How long a call may take; unset: 30. The setting tool_call_seconds of the organisation can be shorter'),
  secret: environmentName.optional().describe('The name of the secret that is sent as a bearer token'),
  secret_header: z
    .string()
    .refine(isFreeHeader, 'must be the name of a header that the service does not set itself')
    .optional()
    .describe('The header that has the secret instead, such as X-API-Key'),
  data_flow: dataFlow.optional(),
  ...callPolicyFields,
  rate: callRate.optional(),
  price_usd: usd.optional().describe('What one call costs, as decimal text. The budgets of the agent pay'),
};

/** An action of an agent: a function of its own code, or a call of an address. */
export const tool = z
  .strictObject({
    type: z
      .enum(['function', 'http'])
      .default('function')
      .describe('`function` runs in the code of the agent; the service calls `url` for `http`'),
    description: text.optional().describe('What a model reads about it'),
    parameters: parametersSchema
      .default({ type: 'object', properties: {} })
      .describe('Its parameters, as the JSON Schema of an object'),
    returns: jsonSchema
      .optional()
      .describe(
        'Its result, as a JSON Schema. An agent gets only the properties that it names; unset: the whole answer',
      ),
    ...ofHttp,
  })
  .superRefine(({ type, ...config }, context) => {
    if (type === 'http' && config.url === undefined)
      context.addIssue({ code: 'custom', path: ['url'], message: 'is missing; an `http` tool needs it' });
    if (type === 'http') for (const fault of placeFaults(config)) context.addIssue({ code: 'custom', ...fault });
    if (config.secret_header !== undefined && config.secret === undefined)
      context.addIssue({ code: 'custom', path: ['secret_header'], message: 'needs `secret`' });
    if (type === 'function')
      // Its own fields.
      for (const field of Object.keys(ofHttp) as (keyof typeof ofHttp)[])
        if (config[field] !== undefined)
          context.addIssue({ code: 'custom', path: [field], message: 'belongs to tools of `type: http`' });
  });
