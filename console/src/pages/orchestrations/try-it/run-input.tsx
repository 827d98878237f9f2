// The input of a run: a text, or JSON for members that take more.
import { useState, type ReactNode } from 'react';
import { Action, type Allowed } from '../../../parts/action/action.tsx';
import { Button } from '../../../parts/action/button.tsx';
import { CodeEditor } from '../../../parts/code/code.tsx';
import { SvcLine } from '../../../parts/copy.tsx';
import { Section } from '../../../parts/page/page.tsx';
import { shellWord } from '../../../parts/shell-word.ts';
import type { RunInput } from './use-live-run.ts';

interface RunInputFormProps {
  name: string;
  can: Allowed | undefined;
  isRunning: boolean;
  onRun: (input: RunInput) => void;
  /** The action that ends the present run. */
  cancel: ReactNode;
}

export function RunInputForm({ name, can, isRunning, onRun, cancel }: RunInputFormProps) {
  const [mode, setMode] = useState<'text' | 'json'>('text');
  const [text, setText] = useState('');
  const [json, setJson] = useState('{}');
  const input = mode === 'text' ? (text.trim() === '' ? undefined : text) : parse(json);
  const svc = `svc orchestration run ${name} ${shellWord(mode === 'text' ? text || 'hello' : json)}`;
  const run = () => {
    if (input !== undefined && !isRunning && can?.allowed === true) onRun(input);
  };
  return (
    <Section
      title="Input"
      aside={
        <Button look="quiet" onClick={() => setMode(mode === 'text' ? 'json' : 'text')}>
          {mode === 'text' ? 'As JSON' : 'As text'}
        </Button>
      }
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || (mode === 'json' && !event.metaKey && !event.ctrlKey) || event.shiftKey) return;
          if (!(event.target instanceof HTMLElement) || event.target.closest('button') !== null) return;
          event.preventDefault();
          run();
        }}
      >
        {mode === 'text' ? (
          <textarea
            rows={2}
            aria-label="Input"
            placeholder="What the first members get"
            value={text}
            onChange={({ target }) => setText(target.value)}
            className="field h-auto py-2"
          />
        ) : (
          <CodeEditor label="Input as JSON" language="json" value={json} onChange={setJson} />
        )}
        <div className="flex flex-wrap items-center gap-2">
          <Action look="main" can={can} svc={svc} isBusy={isRunning || input === undefined} onPress={run}>
            Run
          </Action>
          {cancel}
          {mode === 'json' && input === undefined && <span className="text-meta text-failed">This is no JSON.</span>}
          <span className="ml-auto min-w-0 max-phone:w-full">
            <SvcLine line={svc} />
          </span>
        </div>
      </form>
    </Section>
  );
}

function parse(text: string): RunInput | undefined {
  try {
    return JSON.parse(text) as RunInput;
  } catch {
    // The page says that it is no JSON.
    return undefined;
  }
}
