// How an operation ended: the address and the proof of one that is done, the reason and the remedy of one that is not.
import type { Deployment } from '@gantry/contract/agents/deploy.ts';
import { readProblem } from '@gantry/contract/problems.ts';
import { Link } from '@tanstack/react-router';
import { buttonClass } from '../../parts/action/button.tsx';
import { Copy, Digest } from '../../parts/copy.tsx';
import { money } from '../../parts/figures/figures.ts';
import { Ansi } from '../../parts/log/ansi.tsx';
import { Facts, Section } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { results } from './operation-words.ts';
import type { StepLine } from './progress.ts';

export function Answers({ deployment }: { deployment: Deployment }) {
  const { operation, agent, version, endpoint, example_input } = deployment;
  return (
    <div className="mb-6 flex flex-wrap items-center gap-x-6 gap-y-3 rounded border border-line bg-good-soft px-4 py-3">
      <div className="min-w-0 flex-1">
        <p className="font-strong text-good">
          {agent} {version} {results[operation]}
        </p>
        {endpoint !== null && (
          <p className="mt-0.5 font-mono text-meta">
            <Copy text={endpoint} label="the endpoint" />
          </p>
        )}
        {example_input !== null && (
          <p className="mt-0.5 font-mono text-meta">
            <Copy text={`svc invoke ${agent} '${JSON.stringify(example_input).replaceAll("'", String.raw`'\''`)}'`} />
          </p>
        )}
      </div>
      {operation !== 'stop' && (
        <Link to="/talk/$agent/{-$thread}" params={{ agent }} className={buttonClass('main')}>
          Talk to it
        </Link>
      )}
    </div>
  );
}

const shown_lines = 30;

/** The last lines of the failed step come from its container where it had one. */
export function Failure({ deployment, lines }: { deployment: Deployment; lines: readonly StepLine[] }) {
  const problem = readProblem(deployment.problem);
  const said = containerLines(deployment.problem) ?? lines.map(({ text }) => text);
  const last = said.slice(-shown_lines);
  return (
    <div className="mb-6 flex flex-col gap-3">
      {problem !== undefined && <Refusal error={problem} />}
      {last.length > 0 && (
        <div className="rounded border border-line bg-raised">
          <p className="border-b border-line px-3 py-1.5 text-meta text-quiet">
            {last.length < said.length ? `The last ${last.length} of ${said.length} lines` : 'Its last lines'}
          </p>
          <pre
            ref={scrollToEnd}
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls it
            tabIndex={0}
            aria-label="The last lines"
            className="max-h-80 overflow-auto px-3 py-2 font-mono text-meta leading-5 whitespace-pre-wrap break-words"
          >
            {last.map((text, index) => (
              <span key={index} className="block">
                <Ansi text={text} />
              </span>
            ))}
          </pre>
        </div>
      )}
    </div>
  );
}

function scrollToEnd(box: HTMLElement | null): void {
  if (box !== null) box.scrollTop = box.scrollHeight;
}

function containerLines(problem: Deployment['problem']): string[] | undefined {
  const log = problem?.['log'];
  if (!Array.isArray(log)) return undefined;
  return log.flatMap((each: unknown) =>
    typeof each === 'object' && each !== null && 'line' in each ? [String(each.line)] : [],
  );
}

/** The proof of an operation. */
export function Receipt({ deployment }: { deployment: Deployment }) {
  const { operation, agent, version, digest, target, instances, actor, approval_id, audit_seq, cost } = deployment;
  return (
    <Section title={audit_seq === null ? `This ${operation}` : 'Receipt'}>
      <Facts
        facts={[
          [
            'Version',
            <Link
              key="version"
              to="/agents/$name/config"
              params={{ name: agent }}
              search={{ version }}
              className="text-accent"
            >
              {agent} {version}
            </Link>,
          ],
          ['Digest', <Digest key="digest" digest={digest} />],
          ['Target', target],
          ...(instances === null ? [] : [['Containers', instances] as const]),
          ['By', actor],
          [
            'Approval',
            approval_id === null ? (
              'none: deployed by an admin'
            ) : (
              <Link
                key="approval"
                to="/approvals/$id"
                params={{ id: approval_id }}
                className="font-mono text-meta text-accent"
              >
                {approval_id.slice(0, 8)}
              </Link>
            ),
          ],
          // The audit entry of another operation is that of its request.
          ...(operation === 'deploy' || operation === 'rollback'
            ? [['Audit', <AuditEntry key="audit" deployment={deployment} />] as const]
            : []),
          ...(cost?.cap === null || cost?.cap === undefined ? [] : [['Budget', budgetOf(cost.cap)] as const]),
        ]}
      />
    </Section>
  );
}

function AuditEntry({ deployment: { audit_seq, state } }: { deployment: Deployment }) {
  if (audit_seq === null) return state === 'running' || state === 'queued' ? 'at its end' : '–';
  return (
    <Link
      to="/audit/$chain/$seq"
      params={{ chain: 'governance', seq: String(audit_seq) }}
      className="font-mono text-meta text-accent"
    >
      governance/{audit_seq}
    </Link>
  );
}

function budgetOf({ percent, of, window, limit_usd }: NonNullable<NonNullable<Deployment['cost']>['cap']>): string {
  return `${percent} % of the ${money(limit_usd)} per ${window} of ${of}`;
}
