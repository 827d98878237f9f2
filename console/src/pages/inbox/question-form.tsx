// The form that a server asks for, made of its few plain fields. The service checks the values.
import type { QuestionField, QuestionValues } from '@gantry/contract/assets/tool-questions.ts';
import { useId, useState } from 'react';
import { Button } from '../../parts/action/button.tsx';
import { visible } from '../../parts/visible.ts';

interface QuestionFormProps {
  fields: readonly QuestionField[];
  onAnswer: (values: QuestionValues) => void;
  onDecline: () => void;
}

/** As it stands in the form; undefined: nothing is chosen. */
type Entered = string | string[] | undefined;

export function QuestionForm({ fields, onAnswer, onDecline }: QuestionFormProps) {
  const [entered, setEntered] = useState<Readonly<Record<string, Entered>>>(() =>
    Object.fromEntries(fields.map((field) => [field.name, beginning(field)])),
  );
  const read = fields.map((field) => ({ field, value: valueOf(field, entered[field.name]) }));
  const isReady = read.every(({ field, value }) => value !== undefined || !field.is_required);
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isReady) return;
        onAnswer(
          Object.fromEntries(read.flatMap(({ field, value }) => (value === undefined ? [] : [[field.name, value]]))),
        );
      }}
    >
      {fields.map((field) => (
        <Field
          key={field.name}
          field={field}
          entered={entered[field.name]}
          onEnter={(value) => setEntered({ ...entered, [field.name]: value })}
        />
      ))}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="main" disabled={!isReady} focusableWhenDisabled>
          Answer
        </Button>
        <Button onClick={onDecline}>Decline</Button>
      </div>
    </form>
  );
}

interface FieldProps {
  field: QuestionField;
  entered: Entered;
  onEnter: (value: Entered) => void;
}

function Field({ field, entered, onEnter }: FieldProps) {
  const id = useId();
  const { name, title, description, is_required } = field;
  const label = `${visible(title === '' ? name : title)}${title === '' || title === name ? '' : ` (${visible(name)})`}`;
  const about = [is_required ? 'Required.' : 'Not required.', wants(field), visible(description)]
    .filter(Boolean)
    .join(' ');
  if (field.type === 'choices')
    return (
      <fieldset className="flex flex-col gap-1" aria-describedby={`${id}-about`}>
        <legend className="font-strong">{label}</legend>
        <Choices field={field} entered={Array.isArray(entered) ? entered : []} onEnter={onEnter} />
        <span id={`${id}-about`} className="text-meta break-words whitespace-pre-wrap text-quiet">
          {about}
        </span>
      </fieldset>
    );
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="font-strong">
        {label}
      </label>
      <Entry id={id} field={field} entered={typeof entered === 'string' ? entered : ''} onEnter={onEnter} />
      <span id={`${id}-about`} className="text-meta break-words whitespace-pre-wrap text-quiet">
        {about}
      </span>
    </div>
  );
}

interface EntryProps {
  id: string;
  field: Exclude<QuestionField, { type: 'choices' }>;
  entered: string;
  onEnter: (value: string) => void;
}

function Entry({ id, field, entered, onEnter }: EntryProps) {
  const same = { id, value: entered, 'aria-describedby': `${id}-about`, className: 'field' };
  if (field.type === 'boolean' || field.type === 'choice') {
    const options = field.type === 'boolean' ? yes_no : field.options;
    return (
      <select {...same} onChange={({ target }) => onEnter(target.value)}>
        <option value="">Nothing chosen</option>
        {options.map(({ value, title }) => (
          <option key={value} value={value}>
            {optionLabel({ value, title })}
          </option>
        ))}
      </select>
    );
  }
  const isText = field.type === 'text';
  return (
    <input
      {...same}
      type={isText && field.format === 'date' ? 'date' : 'text'}
      inputMode={isText ? 'text' : 'decimal'}
      autoComplete="off"
      onChange={({ target }) => onEnter(target.value)}
    />
  );
}

const yes_no = [
  { value: 'true', title: 'Yes' },
  { value: 'false', title: 'No' },
];
/** A title can say something else than what the server gets. */
const optionLabel = ({ value, title }: { value: string; title: string }) =>
  title === value || yes_no.some((one) => one.title === title && one.value === value)
    ? visible(title)
    : `${visible(title)} (${visible(value)})`;

interface ChoicesProps {
  field: Extract<QuestionField, { type: 'choices' }>;
  entered: string[];
  onEnter: (value: string[]) => void;
}

function Choices({ field, entered, onEnter }: ChoicesProps) {
  return field.options.map((option) => (
    <label key={option.value} className="flex items-center gap-1.5">
      <input
        type="checkbox"
        className="accent-accent"
        checked={entered.includes(option.value)}
        onChange={({ target }) =>
          onEnter(target.checked ? [...entered, option.value] : entered.filter((value) => value !== option.value))
        }
      />
      {optionLabel(option)}
    </label>
  ));
}

/** What the server proposes, unless it hides characters in it. */
function beginning({ default: given }: QuestionField): Entered {
  if (given === null) return undefined;
  if (Array.isArray(given)) return given;
  return typeof given === 'string' && visible(given) !== given ? undefined : String(given);
}

/** Undefined: the field has no value, or none of its type. */
function valueOf({ type }: QuestionField, entered: Entered): QuestionValues[string] | undefined {
  if (Array.isArray(entered)) return entered.length === 0 ? undefined : entered;
  if (entered === undefined || entered === '') return undefined;
  if (type === 'boolean') return entered === 'true';
  if (type !== 'number' && type !== 'integer') return entered;
  const number = Number(entered);
  return entered.trim() === '' || Number.isNaN(number) ? undefined : number;
}

function wants(field: QuestionField): string {
  if (field.type === 'text') return field.format === null ? '' : formats[field.format];
  if (field.type === 'boolean' || field.type === 'choice') return '';
  if (field.type === 'choices') return bounds('', field.min_items, field.max_items);
  return bounds(field.type === 'integer' ? 'A whole number' : 'A number', field.minimum, field.maximum);
}

const formats = {
  email: 'An e-mail address.',
  uri: 'An address with its scheme.',
  date: 'A date.',
  'date-time': 'A time: 2026-07-28T12:00:00Z.',
} as const;

function bounds(what: string, least: number | null, most: number | null): string {
  const said = [what, least === null ? '' : `at least ${least}`, most === null ? '' : `at most ${most}`].filter(
    Boolean,
  );
  return said.length === 0 ? '' : `${said.join(', ')}.`;
}
