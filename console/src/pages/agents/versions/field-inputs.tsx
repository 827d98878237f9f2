import type { InputField } from '@gantry/project/input/input-fields.ts';
import type { Input } from '../../talk/turn.ts';

interface FieldInputsProps {
  fields: readonly InputField[];
  values: Readonly<Record<string, string>>;
  onChange: (values: Record<string, string>) => void;
  onEnter: () => void;
}

export function FieldInputs({ fields, values, onChange, onEnter }: FieldInputsProps) {
  return fields.map((field) => {
    const { name, isConversation, isRequired } = field;
    const shared = {
      value: values[name] ?? '',
      required: isRequired,
      onChange: ({ target }: { target: { value: string } }) => onChange({ ...values, [name]: target.value }),
    };
    return (
      <label key={name} className="flex flex-col gap-1">
        <span className="font-strong">
          {isConversation ? 'Message' : name}{' '}
          {!isConversation && fields.length > 1 && <span className="text-meta text-quiet">{describeType(field)}</span>}
        </span>
        {isText(field) ? (
          <textarea
            rows={fields.length === 1 ? 4 : 2}
            placeholder={isConversation ? 'Enter sends, Shift+Enter begins a line' : undefined}
            className="field h-auto py-2 placeholder:text-quiet"
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.shiftKey || fields.length > 1) return;
              event.preventDefault();
              onEnter();
            }}
            {...shared}
          />
        ) : field.type === 'boolean' ? (
          <select className="field" {...shared}>
            <option value="">not set</option>
            <option>true</option>
            <option>false</option>
          </select>
        ) : (
          <input
            className="field"
            type={isNumber(field) ? 'number' : 'text'}
            step={field.type === 'integer' ? 1 : 'any'}
            onKeyDown={({ key }) => key === 'Enter' && onEnter()}
            {...shared}
          />
        )}
      </label>
    );
  });
}

/** The agent's input. Undefined while a field is missing or is no JSON. */
export function inputOf(
  fields: readonly InputField[],
  values: Readonly<Record<string, string>>,
  before: readonly unknown[],
): Input | undefined {
  const given = fields.filter(({ name }) => (values[name] ?? '').trim() !== '');
  if (given.length === 0 || fields.some((field) => field.isRequired && !given.includes(field))) return undefined;
  try {
    return Object.fromEntries(given.map((field) => [field.name, valueOf(field, values[field.name] ?? '', before)]));
  } catch {
    // A field that takes JSON is not finished.
    return undefined;
  }
}

function valueOf(field: InputField, text: string, before: readonly unknown[]): unknown {
  if (field.isConversation) return [...before, { role: 'user', content: text }];
  return isText(field) ? text : JSON.parse(text);
}

const isNumber = ({ type }: InputField) => type === 'number' || type === 'integer';
const isText = ({ type, isConversation }: InputField) => isConversation || type === undefined || type === 'string';

function describeType({ type, isRequired }: InputField): string {
  const form = type === undefined || type === 'string' ? '' : isOfJson(type) ? `${type}, as JSON` : type;
  return [form, isRequired ? '' : 'optional'].filter((part) => part !== '').join(', ');
}

function isOfJson(type: string): boolean {
  return type === 'object' || type === 'array';
}
