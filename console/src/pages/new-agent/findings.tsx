import type { Finding } from '@gantry/contract/finding.ts';
import { State, type Meaning } from '../../parts/state.tsx';

const meanings: Record<Finding['severity'], Meaning> = { error: 'failed', warning: 'waiting', notice: 'none' };

/** As `svc validate` prints them: file, line and column, the fault, its fix. */
export function Findings({ findings }: { findings: readonly Finding[] }) {
  return (
    <ol className="rounded border border-line bg-raised">
      {findings.map(({ code, severity, message, file, line, column, suggestion }, index) => (
        <li
          // Two findings can be alike in everything.
          key={index}
          className="grid grid-cols-[80px_minmax(0,1fr)] gap-x-3 border-b border-line px-3 py-2 last:border-b-0"
        >
          <span className="text-meta">
            <State meaning={meanings[severity]}>{severity}</State>
          </span>
          <div className="min-w-0">
            <p className="break-words">{marked(message)}</p>
            {suggestion !== undefined && <p className="mt-0.5 break-words text-quiet">{marked(suggestion)}</p>}
            <p className="mt-0.5 font-mono text-meta break-all text-quiet">
              {file}:{line}:{column} · {code}
            </p>
          </div>
        </li>
      ))}
    </ol>
  );
}

/** Names and commands stand between backticks. */
function marked(text: string) {
  return text.split('`').map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <code key={index} className="font-mono text-meta">
        {part}
      </code>
    ),
  );
}
