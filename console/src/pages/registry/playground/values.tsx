// The values of the variables of both sides, by hand or from a stored example, and the settings that both share.
import type { PromptExample } from '@gantry/contract/agents/prompt-trials.ts';
import { Action, type Allowed } from '../../../parts/action/action.tsx';
import { Choice, Field, TextArea } from '../../../parts/form/form.tsx';
import { Section } from '../../../parts/page/page.tsx';

interface ValuesProps {
  name: string;
  variables: readonly string[];
  defaultOf: (variable: string) => string | undefined;
  values: Readonly<Record<string, string>>;
  onChange: (values: Record<string, string>) => void;
  examples: readonly PromptExample[];
  example: string;
  onExample: (name: string) => void;
  max_tokens: string;
  onMaxTokens: (given: string) => void;
  temperature: string;
  onTemperature: (given: string) => void;
  can: Allowed | undefined;
  onSave: () => void;
}

export function Values(given: ValuesProps) {
  const { name, variables, defaultOf, values, onChange, examples, example, onExample, can, onSave } = given;
  const expected = examples.find((one) => one.name === example)?.expected;
  return (
    <Section
      title="Values"
      aside={
        <Action can={can} svc={`svc prompt example add ${name} <example>`} look="quiet" onPress={onSave}>
          Save as example…
        </Action>
      }
    >
      <div className="grid grid-cols-3 gap-3 max-wide:grid-cols-2 max-phone:grid-cols-1">
        <Choice
          name="example"
          label="Example"
          value={example}
          help={
            expected ??
            (examples.length === 0 ? 'None is stored yet: fill in values, and save them as an example.' : undefined)
          }
          options={[{ value: '', label: 'By hand' }, ...examples.map((one) => one.name)]}
          onChange={({ currentTarget: { value } }) => onExample(value)}
        />
        <Field
          name="max_tokens"
          label="Longest answer, in tokens"
          inputMode="numeric"
          placeholder="the vendor’s own"
          value={given.max_tokens}
          onChange={({ currentTarget: { value } }) => given.onMaxTokens(value)}
        />
        <Field
          name="temperature"
          label="Temperature"
          inputMode="decimal"
          placeholder="the vendor’s own"
          value={given.temperature}
          onChange={({ currentTarget: { value } }) => given.onTemperature(value)}
        />
        {variables.map((variable) => (
          <TextArea
            key={variable}
            name={`value-${variable}`}
            label={variable}
            rows={2}
            placeholder={defaultOf(variable)}
            value={values[variable] ?? ''}
            onChange={({ currentTarget: { value } }) => onChange(withValue(values, variable, value))}
          />
        ))}
      </div>
      {variables.length === 0 && <p className="mt-2 text-meta text-quiet">These texts have no variables.</p>}
    </Section>
  );
}

/** Without an empty one, so that a default counts. */
function withValue(values: Readonly<Record<string, string>>, variable: string, value: string): Record<string, string> {
  const { [variable]: _, ...others } = values;
  return value === '' ? others : { ...others, [variable]: value };
}
