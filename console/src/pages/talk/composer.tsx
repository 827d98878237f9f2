// Where one writes to the agent: a message with files, a field for each member of its input, or JSON.
import { contentWith } from '@gantry/contract/agents/files/print-file-part.ts';
import type { TakenFiles } from '@gantry/contract/agents/files/taken-files.ts';
import { ArrowUp, Braces, Square } from 'lucide-react';
import { useEffect, useRef, useState, type RefObject } from 'react';
import { Button, IconButton } from '../../parts/action/button.tsx';
import { Reason, type Allowed } from '../../parts/action/action.tsx';
import { useShortcuts } from '../../parts/keys.ts';
import { CodeEditor } from '../../parts/code/code.tsx';
import { FieldInputs, inputOf } from '../agents/versions/field-inputs.tsx';
import { AttachButton, AttachedFiles } from './files/attached-files.tsx';
import { useAttached, useDroppedFiles } from './files/use-attached.ts';
import type { InputShape } from './input-shape.ts';
import type { Input } from './turn.ts';

interface ComposerProps {
  shape: InputShape;
  /** Of the agent's last deploys. */
  example: Input;
  can: Allowed | undefined;
  /** Null: its agent.yaml lists none. */
  files: TakenFiles | null;
  isRunning: boolean;
  /** Why nothing is sent now. */
  waits?: string | undefined;
  /** What a conversation gets with the next message. */
  before: readonly unknown[];
  onSend: (input: Input) => void;
  onStop: () => void;
}

export function Composer(props: ComposerProps) {
  const { shape, example, can, isRunning, waits, before, onSend, onStop } = props;
  const { fields, line, isConversation } = shape;
  const [isJson, setJson] = useState(fields.length === 0);
  const [values, setValues] = useState<Record<string, string>>({});
  const [json, setJsonText] = useState(() => JSON.stringify(example, null, 2));
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => box.current?.focus(), []);
  useShortcuts({ '/': () => box.current?.focus() });
  const taken = isConversation && !isJson && props.files !== null && props.files.types.length > 0 ? props.files : null;
  const attached = useAttached(taken);
  const { files } = attached;
  const isDropping = useDroppedFiles(taken === null ? undefined : (dropped) => void attached.add(dropped));
  const withFiles = () => [...before, { role: 'user', content: contentWith(values[line?.name ?? ''] ?? '', files) }];
  const input = isJson
    ? parseObject(json)
    : line !== undefined && files.length > 0
      ? { [line.name]: withFiles() }
      : inputOf(fields, values, before);
  const isReady = input !== undefined && !isRunning && waits === undefined && can?.allowed === true;
  const submit = () => {
    if (!isReady) return;
    onSend(input);
    if (!isJson && line !== undefined) setValues({});
    attached.clear();
  };
  const toggle = fields.length > 0 && (
    <IconButton
      label={isJson ? 'As a form' : 'As JSON'}
      icon={<Braces size={16} />}
      aria-pressed={isJson}
      // An editor holds no files.
      disabled={files.length > 0}
      onClick={() => {
        if (!isJson && input !== undefined) setJsonText(JSON.stringify(input, null, 2));
        setJson(!isJson);
      }}
    />
  );
  const button = isRunning ? (
    <Button onClick={onStop} icon={<Square size={12} aria-hidden />}>
      Stop
    </Button>
  ) : (
    <Button
      type="submit"
      look="main"
      disabled={!isReady}
      focusableWhenDisabled
      icon={<ArrowUp size={14} aria-hidden />}
    >
      {line !== undefined && !isJson ? 'Send' : 'Call'}
    </Button>
  );
  return (
    <form
      className={`rounded border bg-raised p-2 focus-within:border-accent ${isDropping ? 'border-accent' : 'border-line-strong'}`}
      onPaste={(event) => {
        const { files: pasted } = event.clipboardData;
        // A cell of a table comes as a text and as a picture of it.
        if (taken === null || pasted.length === 0 || event.clipboardData.getData('text/plain') !== '') return;
        event.preventDefault();
        void attached.add(pasted);
      }}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && isRunning) onStop();
        if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
        event.preventDefault();
        submit();
      }}
    >
      {taken !== null && <AttachedFiles attached={attached} onRemoved={() => box.current?.focus()} />}
      {isJson ? (
        <CodeEditor label="Input as JSON" language="json" value={json} onChange={setJsonText} />
      ) : line === undefined ? (
        <div className="flex max-h-80 flex-col gap-2 overflow-y-auto p-1">
          <FieldInputs fields={fields} values={values} onEnter={submit} onChange={setValues} />
        </div>
      ) : (
        <Line
          box={box}
          shape={shape}
          value={values[line.name] ?? ''}
          onEnter={submit}
          onChange={(text) => setValues({ [line.name]: text })}
        />
      )}
      <div className="mt-1 flex items-center gap-2">
        {taken !== null && <AttachButton types={taken.types} attached={attached} />}
        {toggle}
        <span role="status" className="min-w-0 flex-1 text-meta text-quiet">
          {isJson && input === undefined ? (
            <span className="text-failed">This is no JSON object.</span>
          ) : can?.allowed === false ? (
            <Reason can={can} />
          ) : (
            waits
          )}
        </span>
        {button}
      </div>
    </form>
  );
}

interface LineProps {
  box: RefObject<HTMLTextAreaElement | null>;
  shape: InputShape;
  value: string;
  onChange: (text: string) => void;
  onEnter: () => void;
}

/** It grows with its text. */
function Line({ box, shape: { line, isConversation }, value, onChange, onEnter }: LineProps) {
  const name = isConversation || line?.name === 'message' || line?.name === 'input' ? 'Message' : (line?.name ?? '');
  return (
    <textarea
      ref={box}
      rows={1}
      aria-label={name}
      placeholder={`${name}: Enter sends, Shift+Enter begins a line`}
      value={value}
      onChange={({ target }) => onChange(target.value)}
      onKeyDown={(event) => {
        // An input method ends a word with Enter.
        if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
        event.preventDefault();
        onEnter();
      }}
      className="field-sizing-content max-h-60 min-h-12 w-full resize-none bg-transparent px-2 py-1.5 outline-none placeholder:text-quiet"
    />
  );
}

function parseObject(text: string): Input | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Input) : undefined;
  } catch {
    // The page says that it is no JSON.
    return undefined;
  }
}
