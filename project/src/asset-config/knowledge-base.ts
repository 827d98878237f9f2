import { z } from 'zod';
import { environmentName } from '@gantry/contract/identifiers.ts';
import { listOf } from '@gantry/contract/formats/list-of.ts';
import { parsePrincipal } from '@gantry/contract/refs.ts';
import { text } from '@gantry/contract/wire.ts';
import { refreshHours } from './refresh-hours.ts';
import { httpAddress } from './http-address.ts';

/** Who finds a document, besides what their `use` of the base allows. */
const reader = z
  .string()
  .refine(
    (name) => ['user', 'team', 'group', 'principal'].includes(parsePrincipal(name)?.kind ?? ''),
    'must be user:<email>, team:<name>, group:<name> or principal:<name>',
  )
  .meta({ pattern: '^(user|team|group|principal):.+$' });
const readers = listOf(reader, 100).describe('Only these find it; `[]`: nobody does');

const rights = listOf(
  z.strictObject({
    documents: z
      .string()
      .min(1)
      .max(500)
      .describe('A pattern over paths of documents; a `*` stands for any characters'),
    readers,
  }),
  200,
).describe(
  'Who finds which documents. The first entry whose pattern matches counts, and a document without one is for everyone who may use the base',
);

const question = z.strictObject({
  question: text.min(1).max(2000),
  expects: listOf(z.string().min(1).max(500), 20).min(1).describe('Patterns over paths of documents, such as hr/*'),
});

/** Documents for agents to search: at addresses, or written in the config. */
export const knowledgeBase = z
  .strictObject({
    documents: listOf(
      z
        .strictObject({
          title: text.max(200).optional().describe('Its title'),
          url: httpAddress.optional().describe('Its address; or use `text`'),
          text: z.string().min(1).max(100_000).optional().describe('The document itself'),
          readers: readers.optional(),
        })
        .refine((document) => (document.url === undefined) !== (document.text === undefined), {
          error: 'needs one of two: give either `url` or `text`',
          path: ['url'],
        }),
      1000,
    )
      .default([])
      .describe('The documents'),
    uploads: z.boolean().default(false).describe('People may upload files to it: svc kb upload'),
    bucket: z
      .strictObject({
        name: z
          .string()
          .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be a name of a bucket')
          .describe('Its name'),
        endpoint: httpAddress.describe('The address of the storage, such as https://s3.eu-central-1.amazonaws.com'),
        region: z
          .string()
          .regex(/^[a-z0-9-]{1,40}$/, 'must be a region such as eu-central-1')
          .default('us-east-1')
          .describe('Its region'),
        prefix: text.max(500).default('').describe('Only objects whose keys begin so'),
        secret: environmentName
          .optional()
          .describe('The name of a secret with `<access key id>:<secret access key>`; a public bucket needs none'),
      })
      .optional()
      .describe('A bucket in the protocol of S3, whose objects are documents'),
    git: z
      .strictObject({
        repository: httpAddress.describe('Its address, such as https://git.example.com/team/docs.git'),
        ref: text
          .min(1)
          .max(200)
          .regex(/^[^\s-]\S*$/, 'must be the name of a branch or a tag, or the id of a commit')
          .optional()
          .describe('A branch, a tag or the id of a commit; the default branch when it is absent'),
        folder: text
          .max(500)
          .regex(/^(?:[^/]+(?:\/[^/]+)*)?$/, 'must be a path such as docs or docs/hr')
          .default('')
          .describe('Only files below this folder'),
        secret: environmentName
          .optional()
          .describe('The name of a secret with a token, or `<user>:<token>`; a public repository needs none'),
      })
      .optional()
      .describe('A Git repository, whose files are documents; names that begin with a dot are left out'),
    refresh_hours: refreshHours.optional(),
    language: z
      .string()
      .regex(/^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})?$/, 'must be a language such as en or pt-BR')
      .optional()
      .describe('The language of the documents'),
    rights: rights.default([]),
    approve: z
      .boolean()
      .default(false)
      .describe('A new snapshot is searched only after an admin of the team has let it serve'),
    questions: listOf(question, 200)
      .default([])
      .describe(
        'Questions with the documents that answer them. `svc kb test` asks them, as somebody who may read all of it',
      ),
    min_recall: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe('A snapshot that finds a smaller share of what `questions` expect does not serve'),
    secret: environmentName.optional().describe('The name of the secret for access to the addresses'),
  })
  .refine(({ questions, min_recall }) => min_recall === undefined || questions.length > 0, {
    error: 'needs `questions`',
    path: ['min_recall'],
  });

export type KnowledgeBaseConfig = z.output<typeof knowledgeBase>;
