import type { Finding } from '@gantry/project/finding.ts';
import { Button } from '../action/button.tsx';
import { State, type Meaning } from '../figures/state.tsx';

const meanings: Record<Finding['severity'], Meaning> = { error: 'failed', warning: 'waiting', notice: 'none' };

interface FindingsProps {
  findings: readonly Finding[];
  /** Applies the edit of a finding. Absent where the file is not edited here. */
  onFix?: ((finding: Finding) => void) | undefined;
}

/** As `svc validate` prints them: file, line and column, the fault, its fix. */
export function Findings({ findings, onFix }: FindingsProps) {
  return (
    <ol aria-label="Findings" className="rounded border border-line bg-raised">
      {findings.map((finding, index) => (
        <li
          // Two findings can be alike in everything.
          key={index}
          className="grid grid-cols-[80px_minmax(0,1fr)_max-content] gap-x-3 border-b border-line px-3 py-2 last:border-b-0"
        >
          <span className="text-meta">
            <State meaning={meanings[finding.severity]}>{finding.severity}</State>
          </span>
          <div className="min-w-0">
            <p className="break-words">{marked(finding.message)}</p>
            {finding.suggestion !== undefined && (
              <p className="mt-0.5 break-words text-quiet">{marked(finding.suggestion)}</p>
            )}
            <p className="mt-0.5 font-mono text-meta break-all text-quiet">
              {finding.file}:{finding.line}:{finding.column} · {finding.code}
            </p>
          </div>
          {onFix !== undefined && finding.edit !== undefined && (
            <Button aria-label={`Apply to line ${finding.line}`} onClick={() => onFix(finding)}>
              Apply
            </Button>
          )}
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
