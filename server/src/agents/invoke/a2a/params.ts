// The parameters of the methods. Unknown members are ignored, as the protocol asks of its servers. Absent and empty texts are the same.
import { z } from 'zod';
import { A2aError } from './a2a-error.ts';

const max_parts = 100;

/** Stored, and shown again. */
const id = z
  .string()
  .max(512)
  .refine((value) => value.isWellFormed() && !/\p{Cc}/u.test(value), 'must be text without control characters')
  .optional()
  .transform((value) => (value === '' ? undefined : value));

const part = z.object({
  text: z.string().optional(),
  data: z.unknown().optional(),
  raw: z.unknown().optional(),
  url: z.unknown().optional(),
  mediaType: z.unknown().optional(),
  filename: z.unknown().optional(),
});
export type Part = z.output<typeof part>;

const historyLength = z.coerce.number().int().min(0).optional();

export const sendParams = z.object({
  message: z.object({
    messageId: z.string().min(1).max(512),
    role: z.literal('ROLE_USER'),
    parts: z.array(part).min(1).max(max_parts),
    contextId: id,
    taskId: id,
  }),
  configuration: z
    .object({
      returnImmediately: z.boolean().default(false),
      taskPushNotificationConfig: z.unknown().optional(),
      historyLength,
    })
    .optional(),
});
export type SendParams = z.output<typeof sendParams>;

export const taskParams = z.object({ id: z.string().max(512), historyLength });

export const listParams = z.object({
  contextId: id,
  status: z
    .string()
    .regex(/^TASK_STATE_[A-Z_]{1,40}$/)
    .optional(),
  pageSize: z.coerce.number().int().min(0).max(100).default(0),
  pageToken: z.string().max(500).optional(),
  historyLength,
  statusTimestampAfter: z.iso
    .datetime({ offset: true })
    .transform((text) => new Date(text).toISOString())
    .optional(),
  includeArtifacts: z.union([z.boolean(), z.stringbool()]).default(false),
});

/** Throws INVALID_PARAMS, naming each fault. */
export function readParams<S extends z.ZodType>(schema: S, params: unknown): z.output<S> {
  const read = schema.safeParse(params ?? {});
  if (read.success) return read.data;
  const faults = read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new A2aError('INVALID_PARAMS', faults.slice(0, 10).join('; '));
}
