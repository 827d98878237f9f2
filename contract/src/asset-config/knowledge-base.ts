import { z } from 'zod';
import { secretName } from '../identifiers.ts';
import { listOf } from '../list-of.ts';
import { text } from '../wire.ts';
import { httpAddress } from './http-address.ts';

/** What agents can look things up in: documents at addresses, or written down right here. */
export const knowledgeBase = z.strictObject({
  documents: listOf(
    z
      .strictObject({
        title: text.max(200).optional().describe('What people know it by'),
        url: httpAddress.optional().describe('Where it lies; or `text` instead'),
        text: z.string().min(1).max(100_000).optional().describe('The document itself'),
      })
      .refine((document) => (document.url === undefined) !== (document.text === undefined), {
        error: 'is one of two: give either `url` or `text`',
        path: ['url'],
      }),
    1000,
  )
    .default([])
    .describe('What is in it'),
  language: z
    .string()
    .regex(/^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})?$/, 'must be a language such as en or pt-BR')
    .optional()
    .describe('The language of the documents'),
  secret: secretName.optional().describe('The name of the secret that opens the addresses'),
});
