// Fields from the JSON Schema of a kind's config: one for each plain member, and text in JSON or YAML for the others.
import { Choice, Field, TextArea } from '../../parts/form/form.tsx';
import { stringify } from 'yaml';

export interface Member {
  name: string;
  form: 'line' | 'text' | 'number' | 'choice' | 'yes_no' | 'written';
  options: readonly string[];
  about: string | undefined;
  is_required: boolean;
  /** The default of a plain member. */
  usual: string | undefined;
}

interface Schema {
  type?: unknown;
  enum?: unknown;
  anyOf?: unknown;
  description?: unknown;
  default?: unknown;
  maxLength?: unknown;
  properties?: unknown;
  required?: unknown;
}

const longest_line = 2000;

/** The service's own schema; the required members come first. */
export function membersOf(schema: Schema): Member[] {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  const required = Array.isArray(schema.required) ? schema.required : [];
  return properties
    .map(([name, member]): Member => ({
      name,
      form: formOf(member),
      options: Array.isArray(member.enum) ? member.enum.map(String) : [],
      about: typeof member.description === 'string' ? member.description : undefined,
      is_required: required.includes(name),
      usual: plainText(member.default),
    }))
    .toSorted((a, b) => Number(b.is_required) - Number(a.is_required));
}

function formOf({ type, enum: options, anyOf, maxLength }: Schema): Member['form'] {
  if (Array.isArray(options)) return 'choice';
  if (type === 'boolean') return 'yes_no';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string') return typeof maxLength === 'number' && maxLength > longest_line ? 'text' : 'line';
  // A reference is a line; its other form is a map.
  if (Array.isArray(anyOf) && anyOf.some((one: Schema) => one.type === 'string')) return 'line';
  return 'written';
}

export function ConfigFields({ members, config }: { members: readonly Member[]; config: Record<string, unknown> }) {
  return members.map((member) => {
    const { name, form, options, is_required, usual } = member;
    const common = { name, label: name, help: help(member) };
    const text = textOf(member, config[name]);
    switch (form) {
      case 'choice':
      case 'yes_no': {
        const values = form === 'choice' ? options : ['true', 'false'];
        const unset = is_required ? [] : [{ value: '', label: usual === undefined ? 'not set' : `not set: ${usual}` }];
        return <Choice key={name} {...common} defaultValue={text} options={[...unset, ...values]} />;
      }
      case 'text':
        return <TextArea key={name} {...common} defaultValue={text} rows={8} />;
      case 'written':
        return <TextArea key={name} {...common} defaultValue={text} rows={text === '' ? 2 : 6} spellCheck={false} />;
      default:
        return <Field key={name} {...common} defaultValue={text} inputMode={form === 'number' ? 'numeric' : 'text'} />;
    }
  });
}

function textOf({ form }: Member, value: unknown): string {
  if (value === undefined) return '';
  return (form === 'written' ? undefined : plainText(value)) ?? stringify(value).trimEnd();
}

function plainText(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}

function help({ form, about, is_required, usual }: Member): string {
  const sentences = [
    about === undefined ? '' : `${about.replaceAll('`', '')}.`,
    is_required || usual === undefined ? '' : `Not set: ${usual}.`,
    form === 'written' ? 'In JSON or YAML.' : '',
  ];
  return sentences.filter((sentence) => sentence !== '').join(' ');
}
