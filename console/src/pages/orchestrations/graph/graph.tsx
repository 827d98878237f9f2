// An orchestration as a graph. With the calls of a run, each node and each way on shows how far the run is. The tables beside it say the same.
import type { OrchestrationConfig } from '@gantry/project/orchestration-yaml.ts';
import { useWidth } from '../../../parts/browser/use-width.ts';
import { progressOf, type Call } from '../calls/calls.ts';
import { GraphNode } from './graph-node.tsx';
import { layoutOf, type Line, type Placed } from './layout.ts';
import { shapeOf } from './shape.ts';

export interface ShownRun {
  calls: readonly Call[];
  hasEnded: boolean;
  /** The run has an answer. */
  hasAnswer: boolean;
}

interface GraphProps {
  label: string;
  config: OrchestrationConfig;
  run?: ShownRun;
}

export function Graph({ label, config, run }: GraphProps) {
  const [ref, width] = useWidth();
  const layout = width === undefined ? undefined : layoutOf(shapeOf(config), width);
  return (
    <figure ref={ref} aria-label={label} className="min-h-15 w-full">
      {layout !== undefined && (
        <div className="relative" style={{ width: layout.width, height: layout.height }}>
          <svg aria-hidden width={layout.width} height={layout.height} className="absolute inset-0 overflow-visible">
            {inOrder(layout.lines, run).map((line) => (
              <Way key={`${line.edge.from} ${line.edge.to}`} line={line} isLit={isLit(line, run)} />
            ))}
          </svg>
          {layout.lines.map((line) => (
            <Labels key={`${line.edge.from} ${line.edge.to}`} line={line} isLit={isLit(line, run)} />
          ))}
          {layout.placed.map((at) => (
            <Node key={at.node.id} at={at} run={run} />
          ))}
        </div>
      )}
    </figure>
  );
}

/** A lit way is not crossed by another one. */
function inOrder(lines: readonly Line[], run: ShownRun | undefined): Line[] {
  return lines.toSorted((a, b) => Number(isLit(a, run)) - Number(isLit(b, run)));
}

/** The run went this way. */
function isLit({ edge: { from, to } }: Line, run: ShownRun | undefined): boolean {
  if (run === undefined) return false;
  const isCalled = (id: string) => progressOf(id, run.calls, run.hasEnded).calls.length > 0;
  if (to === ':choice') return run.calls.length > 0;
  if (to !== ':end') return isCalled(to);
  return run.hasAnswer && isCalled(from) && progressOf(from, run.calls, run.hasEnded).state !== 'failed';
}

const arrow_px = 5;

function Way({ line: { d, arrows }, isLit: lit }: { line: Line; isLit: boolean }) {
  return (
    <g className={lit ? 'text-accent' : 'text-line-strong'}>
      <path d={d} fill="none" stroke="currentColor" strokeWidth={lit ? 2 : 1} />
      {arrows.map(({ x, y, turn }) => (
        <path
          key={turn}
          d={`M0 0 L${-arrow_px * 1.4} ${-arrow_px * 0.8} V${arrow_px * 0.8} Z`}
          fill="currentColor"
          transform={`translate(${x} ${y}) rotate(${turn})`}
        />
      ))}
    </g>
  );
}

function Labels({ line: { edge, label }, isLit: lit }: { line: Line; isLit: boolean }) {
  if (label === undefined) return null;
  const { x, y, width } = label;
  return (
    <span
      style={{ left: x, top: y, maxWidth: width }}
      className={`absolute flex -translate-y-1/2 flex-col items-start bg-ground font-mono text-meta leading-[18px] ${lit ? 'text-accent' : 'text-quiet'}`}
    >
      {edge.labels.map((text) => (
        <span key={text} title={text} className="max-w-full truncate px-1">
          {text}
        </span>
      ))}
    </span>
  );
}

/** Whether a run has reached a node that is no member. */
const reached: Record<Placed['node']['kind'], (run: ShownRun) => boolean> = {
  start: () => true,
  choice: ({ calls }) => calls.length > 0,
  end: ({ hasAnswer }) => hasAnswer,
  member: () => false,
};

function Node({ at, run }: { at: Placed; run: ShownRun | undefined }) {
  const { node, x, y, width, height } = at;
  const isReached = run !== undefined && reached[node.kind](run);
  const look = isReached ? 'border-accent bg-accent-soft' : 'border-line-strong bg-raised text-quiet';
  return (
    <div className="absolute" style={{ left: x, top: y, width, height }}>
      {node.kind === 'member' && node.member !== undefined ? (
        <GraphNode node={node} member={node.member} run={run} />
      ) : (
        <span
          className={`flex h-full items-center justify-center border text-meta ${node.kind === 'choice' ? 'rounded' : 'rounded-[14px]'} ${look}`}
        >
          {node.label}
        </span>
      )}
    </div>
  );
}
