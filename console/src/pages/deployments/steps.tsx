// The steps of an operation, with their times and their output. The running one is open.
import type { Operation, operationSteps } from '@gantry/contract/agents/deploy.ts';
import { isSlow, type UsualTimes } from '@gantry/contract/agents/usual-times.ts';
import { ChevronRight } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { duration } from '../../parts/figures/figures.ts';
import { Ansi } from '../../parts/log/ansi.tsx';
import { Lines } from '../../parts/log/lines.tsx';
import type { Meaning } from '../../parts/figures/state.tsx';
import { State } from '../../parts/figures/state.tsx';
import { useNow } from '../../parts/figures/when.tsx';
import { isCancelled, type Step, type StepLine } from './progress.ts';

const does: Record<(typeof operationSteps)[Operation][number], string> = {
  validate: 'the config and the project of this version',
  authorize: 'role, team, access and the approval of this digest',
  resolve: 'the pinned references are unchanged, its secrets exist',
  build: 'the image of its dependencies, then of the agent',
  provision: 'decided again; the place of its container',
  start: 'the container answers health and readiness',
  register: 'the revision is registered, the traffic switched, the audit entry written',
  endpoint: 'the address answers; the old revision ends its calls',
  stop: 'each container ends its calls, then stops',
  scale: 'containers are added, or end their calls and stop',
  restart: 'a new container answers before an old one ends its calls',
};

const meanings: Record<Step['state'], Meaning> = {
  pending: 'none',
  running: 'waiting',
  waiting: 'waiting',
  done: 'good',
  failed: 'failed',
  undone: 'stopped',
};

interface StepsProps {
  steps: readonly Step[];
  lines: ReadonlyMap<string, readonly StepLine[]>;
  usual: UsualTimes;
}

export function Steps({ steps, lines, usual }: StepsProps) {
  return (
    <ol aria-label="Steps" className="rounded border border-line bg-raised">
      {steps.map((step) => (
        <StepRow key={step.name} step={step} lines={lines.get(step.name) ?? []} usual={usual} />
      ))}
    </ol>
  );
}

function StepRow({ step, lines, usual }: { step: Step; lines: readonly StepLine[]; usual: UsualTimes }) {
  const [chosen, setChosen] = useState<boolean>();
  const hasLines = lines.length > 0;
  const isOpen = hasLines && (chosen ?? step.state === 'running');
  return (
    <li className="border-b border-line last:border-b-0">
      <Header canOpen={hasLines} isOpen={isOpen} onOpen={() => setChosen(!isOpen)} label={`The output of ${step.name}`}>
        <span className="w-3 text-right text-meta text-quiet">{step.n}</span>
        <span className="w-28 text-meta">
          <State meaning={isCancelled(step) ? 'stopped' : meanings[step.state]}>{step.name}</State>
        </span>
        <span className="min-w-0 flex-1 truncate text-meta text-quiet max-phone:hidden">
          {does[step.name as keyof typeof does]}
        </span>
        <span className="ml-auto text-meta">
          <Took step={step} usual={usual} />
        </span>
      </Header>
      {isOpen && (
        <div className="border-t border-line bg-sunken py-1">
          <Lines
            label={`Output of ${step.name}`}
            lines={lines}
            keyOf={({ key }) => key}
            row={rowOf}
            folded={foldedOf}
            // While lines arrive, the steps below stay where they are.
            height={step.state === 'running' ? 'h-60' : 'max-h-80'}
          />
        </div>
      )}
    </li>
  );
}

const rowOf = ({ text }: StepLine) => <Ansi text={text} />;
// A row shows a shorter line whole.
const foldedOf = ({ text }: StepLine) => (text.length > 90 ? <Ansi text={text} /> : undefined);

interface HeaderProps {
  canOpen: boolean;
  isOpen: boolean;
  onOpen: () => void;
  label: string;
  children: ReactNode;
}

function Header({ canOpen, isOpen, onOpen, label, children }: HeaderProps) {
  const look = 'flex h-9 w-full items-center gap-2.5 px-3 text-left';
  if (!canOpen)
    return (
      <div className={look}>
        <span className="w-3" />
        {children}
      </div>
    );
  return (
    <button type="button" aria-expanded={isOpen} title={label} onClick={onOpen} className={`${look} hover:bg-hover`}>
      <ChevronRight size={12} aria-hidden className={`shrink-0 text-quiet ${isOpen ? 'rotate-90' : ''}`} />
      {children}
    </button>
  );
}

function Took({ step, usual }: { step: Step; usual: UsualTimes }) {
  const { name, state, started_at, ended_at } = step;
  const now = useNow(state === 'running' ? 1000 : 3_600_000);
  if (state === 'undone') return <span className="text-quiet">undone</span>;
  if (isCancelled(step)) return <span className="text-quiet">cancelled</span>;
  const expected = usual[name];
  if (started_at === null)
    return (
      <span className="text-quiet">
        {state === 'pending' && expected !== undefined && `about ${duration(expected)}`}
      </span>
    );
  const took = Math.max(0, (ended_at === null ? now : Date.parse(ended_at)) - Date.parse(started_at));
  return (
    <>
      {isSlow(usual, name, took) && <span className="mr-2 text-quiet">usually {duration(expected)}</span>}
      {ended_at === null ? duration(Math.floor(took / 1000) * 1000) : duration(took)}
    </>
  );
}
