// A call of a tool, folded: its name and its state are read, the rest on demand.
import { ChevronRight } from 'lucide-react';
import type { ToolCall } from './turn.ts';

export function Tool({ call: { name, args, result, isOver }, isRunning }: { call: ToolCall; isRunning: boolean }) {
  const state = isOver ? 'done' : isRunning ? 'running' : 'not answered';
  return (
    <details className="group/tool rounded border border-line bg-raised text-meta">
      <summary className="flex min-h-8 items-center gap-2 px-2.5">
        <ChevronRight size={13} aria-hidden className="shrink-0 text-quiet group-open/tool:rotate-90" />
        <span className="font-mono">{name}</span>
        <span className={`ml-auto ${isOver ? 'text-good' : 'text-waiting'}`}>{state}</span>
      </summary>
      <div className="flex flex-col gap-2 border-t border-line px-2.5 py-2">
        <Box label="Asked with" text={pretty(args)} />
        {result !== undefined && <Box label="Answered" text={pretty(result)} />}
      </div>
    </details>
  );
}

function Box({ label, text }: { label: string; text: string }) {
  return (
    <div>
      <p className="text-quiet">{label}</p>
      <pre className="max-h-80 overflow-auto font-mono break-words whitespace-pre-wrap">{text}</pre>
    </div>
  );
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // Arguments that are still being written, and plain text.
    return text;
  }
}
