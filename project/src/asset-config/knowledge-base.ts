import { z } from 'zod';
import { environmentName } from '@gantry/contract/identifiers.ts';
import { listOf } from '@gantry/contract/formats/list-of.ts';
import { text } from '@gantry/contract/wire.ts';
import { httpAddress } from './http-address.ts';

/** Documents for agents to search: at addresses, or written in the config. */
export const knowledgeBase = z.strictObject({
  documents: listOf(
    z
      .strictObject({
        title: text.max(200).optional().describe('Its title'),
        url: httpAddress.optional().describe('Its address; or use `text`'),
        text: z.string().min(1).max(100_000).optional().describe('The document itself'),
      })
      .refine((document) => (document.url === undefined) !== (document.text === undefined), {
        error: 'needs one of two: give either `url` or `text`',
        path: ['url'],
      }),
    1000,
  )
    .default([])
    .describe('The documents'),
  language: z
    .string()
    .regex(/^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})?$/, 'must be a language such as en or pt-BR')
    .optional()
    .describe('The language of the documents'),
  secret: environmentName.optional().describe('The name of the secret for access to the addresses'),
});
