// What a server asks, as a form of few plain fields (MCP, elicitation, form mode). Its texts and its schema are hostile: what is larger, or is none of the
// forms of the protocol, is no question.
import { z } from 'zod';
import { textFormats, type QuestionField } from '@gantry/contract/assets/tool-questions.ts';
import { matchesPattern } from '../../../models/guardrails/rules/pattern.ts';
import type { Question } from './sealed.ts';

const most_bytes = 32 * 1024;
const most_fields = 25;
const most_options = 100;
const most_length = 10_000;

const label = z.string().max(200);
const about = { title: label.optional(), description: z.string().max(2000).optional() };
const count = z.number().int().min(0).max(most_length);
const words = z.array(label).min(1).max(most_options);
const titled = z
  .array(z.object({ const: label, title: label }))
  .min(1)
  .max(most_options);

const text = z.object({
  ...about,
  type: z.literal('string'),
  format: z.enum(textFormats).optional(),
  pattern: label.refine(isPattern).optional(),
  minLength: count.optional(),
  maxLength: count.optional(),
  default: z.string().max(most_length).optional(),
});
const number = z.object({
  ...about,
  type: z.enum(['number', 'integer']),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  default: z.number().optional(),
});
const boolean = z.object({ ...about, type: z.literal('boolean'), default: z.boolean().optional() });
const choice = z.object({
  ...about,
  type: z.literal('string'),
  enum: words.optional(),
  /** The titles of `enum`, in the generation of 2025. */
  enumNames: words.optional(),
  oneOf: titled.optional(),
  default: label.optional(),
});
const choices = z.object({
  ...about,
  type: z.literal('array'),
  minItems: count.optional(),
  maxItems: count.optional(),
  items: z.object({ enum: words.optional(), anyOf: titled.optional(), oneOf: titled.optional() }),
  default: z.array(label).max(most_options).optional(),
});

const form = z.object({
  message: z.string().max(4000),
  requestedSchema: z.object({
    type: z.literal('object'),
    properties: z.record(label.min(1), z.unknown()),
    required: z.array(label).max(most_fields).default([]),
  }),
});

/** Undefined for what is no question of the protocol, or larger than a person would read. */
export function readQuestion(asked: unknown): Question | undefined {
  if (Buffer.byteLength(JSON.stringify(asked)) > most_bytes) return undefined;
  const read = form.safeParse(asked);
  if (!read.success) return undefined;
  const { message, requestedSchema: schema } = read.data;
  const members = Object.entries(schema.properties);
  if (members.length > most_fields) return undefined;
  const fields = members.flatMap(([name, property]) => {
    const field = fieldOf(property, { name, is_required: schema.required.includes(name) });
    return field === undefined ? [] : [field];
  });
  return fields.length === members.length ? { message, fields } : undefined;
}

type Named = Pick<QuestionField, 'name' | 'is_required'>;

function fieldOf(property: unknown, named: Named): QuestionField | undefined {
  const { type, enum: values, oneOf } = property as Record<string, unknown>; // each is only compared
  if (type === 'string' && values === undefined && oneOf === undefined) return textOf(property, named);
  if (type === 'string') return choiceOf(property, named);
  if (type === 'array') return choicesOf(property, named);
  if (type === 'boolean') {
    const { data } = boolean.safeParse(property);
    return data && { ...withTexts(data, named), type: 'boolean', default: data.default ?? null };
  }
  const { data } = number.safeParse(property);
  if (data === undefined) return undefined;
  const { minimum = null, maximum = null, default: given = null } = data;
  return { ...withTexts(data, named), type: data.type, minimum, maximum, default: given };
}

const withTexts = ({ title = '', description = '' }: { title?: string; description?: string }, named: Named) => ({
  ...named,
  title,
  description,
});

function textOf(property: unknown, named: Named): QuestionField | undefined {
  const { data } = text.safeParse(property);
  return (
    data && {
      ...withTexts(data, named),
      type: 'text',
      format: data.format ?? null,
      pattern: data.pattern ?? null,
      min_length: data.minLength ?? null,
      max_length: data.maxLength ?? null,
      default: data.default ?? null,
    }
  );
}

function choiceOf(property: unknown, named: Named): QuestionField | undefined {
  const { data } = choice.safeParse(property);
  const options = data && (optionsOf(data.oneOf) ?? data.enum?.map((value, n) => titledAs(value, data.enumNames?.[n])));
  if (data === undefined || options === undefined) return undefined;
  return { ...withTexts(data, named), type: 'choice', options, default: data.default ?? null };
}

function choicesOf(property: unknown, named: Named): QuestionField | undefined {
  const { data } = choices.safeParse(property);
  const items = data?.items;
  const options = items && (optionsOf(items.anyOf ?? items.oneOf) ?? items.enum?.map((value) => titledAs(value)));
  if (data === undefined || options === undefined) return undefined;
  return {
    ...withTexts(data, named),
    type: 'choices',
    options,
    min_items: data.minItems ?? null,
    max_items: data.maxItems ?? null,
    default: data.default ?? null,
  };
}

const titledAs = (value: string, title = value) => ({ value, title });
const optionsOf = (listed: z.output<typeof titled> | undefined) =>
  listed?.map(({ const: value, title }) => titledAs(value, title));

function isPattern(given: string): boolean {
  try {
    matchesPattern(given);
    return true;
  } catch {
    return false;
  }
}
