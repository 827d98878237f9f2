// One form: labels above, help below, faults at the field and at the top; Enter sends. Field names are the members of the request's body.
import { Field as BaseField } from '@base-ui/react/field';
import { Form as BaseForm } from '@base-ui/react/form';
import { Problem } from '@gantry/contract/problems.ts';
import { useMemo, useState, type ComponentProps, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { Button, type ButtonLook } from '../action/button.tsx';
import { Refusal } from '../refusal.tsx';

interface FormProps {
  /** The values of the fields, by name. */
  onSend: (values: Record<string, string>) => void;
  /** The error of the last try. */
  error: unknown;
  isSending: boolean;
  /** What will happen: `Grant read and use to team:ops`. */
  send: string;
  look?: ButtonLook;
  onCancel?: () => void;
  children: ReactNode;
}

export function Form({ onSend, error, isSending, send, look = 'main', onCancel, children }: FormProps) {
  const faults = useMemo(() => faultsByField(error), [error]);
  const [past, setPast] = useState<unknown>();
  return (
    <BaseForm
      className="flex flex-col gap-4"
      errors={error === past ? none : faults}
      // A field with a fault of the last try would stop the next one, though another field may have been at fault.
      onSubmitCapture={() => flushSync(() => setPast(error))}
      onSubmit={(event) => {
        event.preventDefault();
        const given = [...new FormData(event.currentTarget)];
        onSend(
          Object.fromEntries(given.map(([name, value]) => [name, typeof value === 'string' ? value : value.name])),
        );
      }}
    >
      {error !== null && error !== undefined && <Refusal error={error} />}
      {children}
      <div className="flex items-center gap-2">
        <Button type="submit" look={look} disabled={isSending} focusableWhenDisabled aria-busy={isSending}>
          {isSending && <Working />}
          {send}
        </Button>
        {onCancel !== undefined && (
          <Button look="quiet" onClick={onCancel}>
            Cancel
          </Button>
        )}
      </div>
    </BaseForm>
  );
}

/** A word for those who see no motion. */
function Working() {
  return (
    <>
      <span aria-hidden className="size-3 animate-spin rounded-full border-2 border-current border-t-transparent" />
      <span className="sr-only">Sending: </span>
    </>
  );
}

// A fault's pointer leads through the body: `/models/0` and `/limits/daily_usd` are of the fields `models` and `daily_usd`.
function faultsByField(error: unknown): Record<string, string[]> {
  if (!(error instanceof Problem)) return {};
  const faults: Record<string, string[]> = {};
  for (const { pointer = '', message } of error.errors)
    for (const member of pointer.split('/').slice(1)) (faults[member] ??= []).push(message);
  return faults;
}

const none: Record<string, string[]> = {};

interface FieldProps extends Omit<ComponentProps<typeof BaseField.Control>, 'className' | 'name'> {
  name: string;
  label: string;
  help?: ReactNode;
}

export function Field({ name, label, help, ...control }: FieldProps) {
  return (
    <Labelled name={name} label={label} help={help}>
      <BaseField.Control className="field data-invalid:border-failed" autoComplete="off" {...control} />
    </Labelled>
  );
}

export function TextArea({
  name,
  label,
  help,
  isCode = false,
  ...rest
}: { name: string; label: string; help?: ReactNode; isCode?: boolean } & Omit<
  ComponentProps<'textarea'>,
  'className'
>) {
  return (
    <Labelled name={name} label={label} help={help}>
      <BaseField.Control
        render={<textarea rows={4} {...rest} />}
        className={`field h-auto py-2 data-invalid:border-failed ${isCode ? 'field-sizing-content min-h-19 font-mono text-meta' : ''}`}
      />
    </Labelled>
  );
}

interface ChoiceProps extends Omit<ComponentProps<'select'>, 'className'> {
  name: string;
  label: string;
  help?: ReactNode;
  options: readonly (string | { value: string; label: string })[];
}

/** One of a few; the browser's own list. */
export function Choice({ name, label, help, options, ...rest }: ChoiceProps) {
  return (
    <Labelled name={name} label={label} help={help}>
      <BaseField.Control render={<select {...rest} />} className="field">
        {options.map((option) => {
          const { value, label: shown } = typeof option === 'string' ? { value: option, label: option } : option;
          return (
            <option key={value} value={value}>
              {shown}
            </option>
          );
        })}
      </BaseField.Control>
    </Labelled>
  );
}

/** Sends `on` where it is ticked, and nothing else. */
export function Tick({
  name,
  label,
  help,
  ...rest
}: { name: string; label: ReactNode; help?: ReactNode } & ComponentProps<'input'>) {
  return (
    <label className="flex items-start gap-2">
      <input type="checkbox" name={name} className="mt-0.5 size-4 accent-accent" {...rest} />
      <span>
        {label}
        {help !== undefined && <span className="block text-meta text-quiet">{help}</span>}
      </span>
    </label>
  );
}

function Labelled({
  name,
  label,
  help,
  children,
}: {
  name: string;
  label: string;
  help?: ReactNode;
  children: ReactNode;
}) {
  return (
    <BaseField.Root name={name} className="flex flex-col gap-1">
      <BaseField.Label className="font-strong">{label}</BaseField.Label>
      {children}
      {help !== undefined && <BaseField.Description className="text-meta text-quiet">{help}</BaseField.Description>}
      <BaseField.Error className="text-meta text-failed" />
    </BaseField.Root>
  );
}
