// The input of a call: a message, a field for each member of the agent's input, or JSON.
import type { InputField } from '@gantry/project/input/input-fields.ts';
import { useState } from 'react';
import { Action, type Allowed } from '../../../parts/action/action.tsx';
import { Button } from '../../../parts/action/button.tsx';
import { CodeEditor } from '../../../parts/code/code.tsx';
import { Section } from '../../../parts/page/page.tsx';
import { FieldInputs, inputOf } from '../versions/field-inputs.tsx';
import type { Input, Turn } from './turn.ts';

interface CallInputProps {
  name: string;
  fields: readonly InputField[];
  example: Input;
  can: Allowed | undefined;
  calls: { turns: readonly Turn[]; isRunning: boolean; call: (input: Input) => Promise<void>; cancel: () => void };
  /** Gets the input as it stands; undefined while it is no JSON object. */
  onChange: (input: Input | undefined) => void;
}

export function CallInput({ name, fields, example, can, calls, onChange }: CallInputProps) {
  const [mode, setMode] = useState<'fields' | 'json'>(fields.length === 0 ? 'json' : 'fields');
  const [values, setValues] = useState<Record<string, string>>({});
  const [json, setJson] = useState(() => JSON.stringify(example, null, 2));
  const conversation = fields.length === 1 && fields[0]?.isConversation === true;
  const input = mode === 'json' ? parse(json) : inputOf(fields, values, conversation ? saidBefore(calls.turns) : []);
  const change = (next: () => void, shown: Input | undefined) => {
    next();
    onChange(shown);
  };
  const call = () => {
    if (input === undefined || calls.isRunning || can?.allowed !== true) return;
    void calls.call(input);
    if (conversation && mode === 'fields') setValues({});
  };
  return (
    <Section
      title="Input"
      aside={
        fields.length > 0 && (
          <Button
            look="quiet"
            onClick={() => {
              if (mode === 'fields' && input !== undefined) setJson(JSON.stringify(input, null, 2));
              setMode(mode === 'json' ? 'fields' : 'json');
            }}
          >
            {mode === 'json' ? (conversation ? 'As a chat' : 'As a form') : 'As JSON'}
          </Button>
        )
      }
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          call();
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
          event.preventDefault();
          call();
        }}
      >
        {mode === 'json' ? (
          <CodeEditor
            label="Input as JSON"
            language="json"
            value={json}
            onChange={(text) => change(() => setJson(text), parse(text))}
          />
        ) : (
          <FieldInputs
            fields={fields}
            values={values}
            onEnter={call}
            onChange={(next) => change(() => setValues(next), inputOf(fields, next, []))}
          />
        )}
        <div className="flex items-center gap-2">
          <Action
            look="main"
            can={can}
            svc={`svc invoke ${name} --stream`}
            isBusy={calls.isRunning || input === undefined}
            onPress={call}
          >
            {conversation && mode === 'fields' ? 'Send' : 'Call'}
          </Action>
          {calls.isRunning && <Button onClick={calls.cancel}>Cancel</Button>}
          {mode === 'json' && input === undefined && (
            <span className="text-meta text-failed">This is no JSON object.</span>
          )}
          {conversation && mode === 'fields' && calls.turns.length > 0 && (
            <span className="text-meta text-quiet">The conversation so far goes with it.</span>
          )}
        </div>
      </form>
    </Section>
  );
}

function parse(text: string): Input | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Input) : undefined;
  } catch {
    // The page says that it is no JSON.
    return undefined;
  }
}

/** The messages of the last answered call, with its answer. */
function saidBefore(turns: readonly Turn[]): unknown[] {
  const last = turns.findLast(({ state }) => state === 'answered');
  const asked = Object.values(last?.input ?? {})[0];
  if (last === undefined || !Array.isArray(asked)) return [];
  return [...(asked as unknown[]), ...last.messages.map(({ text }) => ({ role: 'assistant', content: text }))];
}
