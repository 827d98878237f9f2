import type { LogLevel } from '@gantry/contract/agents/log-entry.ts';
import { Ansi } from '../../../parts/log/ansi.tsx';
import { exactTime } from '../../../parts/figures/when.tsx';
import type { Entry } from './log-entries.ts';

const looks: Record<LogLevel, string> = {
  error: 'border-failed text-failed',
  warning: 'border-waiting text-waiting',
  info: 'border-line-strong text-quiet',
  debug: 'border-line text-quiet',
};

/** Time, level, message, then the id of its call, which filters by it. */
export function LogRow({ entry, onRequest }: { entry: Entry; onRequest: (id: string) => void }) {
  const { at, level, message, rest, request } = entry;
  return (
    <span className="flex gap-3">
      <span
        className={`flex w-32 shrink-0 gap-2 border-l-2 pl-2 max-phone:w-auto ${level === undefined ? 'border-transparent' : looks[level]}`}
      >
        <time dateTime={at} title={at} className="text-quiet">
          {exactTime(at).slice(11)}
        </time>
        <span className={level === 'info' ? 'max-phone:hidden' : ''}>{level === 'warning' ? 'warn' : level}</span>
      </span>
      <span className="mr-3 min-w-0 flex-1 overflow-hidden text-ellipsis whitespace-pre">
        <Ansi text={message} />
        <span className="text-quiet">{rest !== undefined && inOneLine(rest)}</span>
      </span>
      {request !== undefined && (
        <button
          type="button"
          onClick={() => onRequest(request)}
          title="Only this call"
          className="shrink-0 pr-3 text-accent max-phone:hidden"
        >
          {request.slice(-8)}
        </button>
      )}
    </span>
  );
}

export function WholeLine({ entry: { rest, message, written } }: { entry: Entry }) {
  if (rest === undefined) return <Ansi text={message} />;
  return (
    <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 border-l-2 border-line pl-3">
      {Object.entries({ message, ...rest }).map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-quiet">{name}</dt>
          <dd>{typeof value === 'string' ? <Ansi text={value} /> : JSON.stringify(value, null, 2)}</dd>
        </div>
      ))}
      <dt className="text-quiet">written</dt>
      <dd className="text-quiet">{written}</dd>
    </dl>
  );
}

function inOneLine(rest: Record<string, unknown>): string {
  return Object.entries(rest)
    .map(([name, value]) => `  ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('')
    .slice(0, 400);
}
