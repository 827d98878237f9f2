// The values of a person against what the server asks. They are checked when they are answered, and again before the server gets them.
import type { QuestionField, QuestionValues } from '@gantry/contract/assets/tool-questions.ts';
import { matchesPattern } from '../../../models/guardrails/rules/pattern.ts';

type Value = QuestionValues[string];

/** One sentence about the first value that does not fit; undefined when all do. */
export function faultOf(fields: readonly QuestionField[], values: QuestionValues): string | undefined {
  const unknown = Object.keys(values).find((name) => !fields.some((field) => field.name === name));
  if (unknown !== undefined) return `The question has no field ${unknown}.`;
  for (const field of fields) {
    const value = Object.hasOwn(values, field.name) ? values[field.name] : undefined;
    const needs = value === undefined ? (field.is_required ? 'a value' : undefined) : needOf(field, value);
    if (needs !== undefined) return `${field.name} needs ${needs}.`;
  }
  return undefined;
}

/** What the value must be; undefined when it is. */
function needOf(field: QuestionField, value: Value): string | undefined {
  if (field.type === 'boolean') return typeof value === 'boolean' ? undefined : 'true or false';
  if (field.type === 'text') return typeof value === 'string' ? needOfText(field, value) : 'a text';
  if (field.type === 'choice')
    return field.options.some((one) => one.value === value) ? undefined : 'one of its options';
  if (field.type === 'choices') return Array.isArray(value) ? needOfChoices(field, value) : 'a list of its options';
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'a number';
  if (field.type === 'integer' && !Number.isInteger(value)) return 'a whole number';
  if (field.minimum !== null && value < field.minimum) return `at least ${field.minimum}`;
  return field.maximum !== null && value > field.maximum ? `at most ${field.maximum}` : undefined;
}

type Field<Type> = Extract<QuestionField, { type: Type }>;

function needOfText({ min_length, max_length, format, pattern }: Field<'text'>, text: string): string | undefined {
  const { length } = Array.from(text); // characters, not units of UTF-16
  if (min_length !== null && length < min_length) return `at least ${min_length} characters`;
  if (max_length !== null && length > max_length) return `at most ${max_length} characters`;
  if (pattern !== null && !matchesPattern(pattern)(text)) return `a text that matches ${pattern}`;
  if (format !== null && !formats[format].fits(text)) return formats[format].says;
  return undefined;
}

function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

const formats = {
  email: { says: 'an e-mail address', fits: (text: string) => /^[^\s@]{1,64}@[^\s@]{1,255}$/.test(text) },
  uri: { says: 'an address with its scheme', fits: (text: string) => URL.canParse(text) },
  date: { says: 'a date: 2026-07-28', fits: isDay },
  'date-time': {
    says: 'a time: 2026-07-28T12:00:00Z',
    fits: (text: string) =>
      /^\d{4}-\d{2}-\d{2}T[\d:.]{5,20}(Z|[+-]\d{2}:\d{2})$/.test(text) && !Number.isNaN(Date.parse(text)),
  },
} as const;

function needOfChoices({ options, min_items, max_items }: Field<'choices'>, given: string[]): string | undefined {
  if (new Set(given).size !== given.length) return 'each option at most once';
  if (!given.every((value) => options.some((one) => one.value === value))) return 'its options alone';
  if (min_items !== null && given.length < min_items) return `at least ${min_items} of its options`;
  return max_items !== null && given.length > max_items ? `at most ${max_items} of its options` : undefined;
}
