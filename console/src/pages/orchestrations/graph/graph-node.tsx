import type { OrchestrationMember } from '@gantry/project/orchestration-yaml.ts';
import { Link } from '@tanstack/react-router';
import { duration } from '../../../parts/figures/figures.ts';
import { State } from '../../../parts/figures/state.tsx';
import { useNow } from '../../../parts/figures/when.tsx';
import { memberLink } from '../members/agent-name.ts';
import { isFallback, meanings, progressOf, tookOf, type CallState, type Progress } from '../calls/calls.ts';
import type { ShownRun } from './graph.tsx';
import { MemberState } from '../members/member-state.tsx';
import type { ShapeNode } from './shape.ts';

const looks: Record<CallState, string> = {
  pending: 'border-line bg-raised',
  'not called': 'border-line bg-raised',
  running: 'border-waiting bg-waiting-soft',
  waiting: 'border-waiting bg-waiting-soft',
  done: 'border-good bg-good-soft',
  failed: 'border-failed bg-failed-soft',
  'fallback used': 'border-waiting bg-waiting-soft',
  cancelled: 'border-stopped bg-stopped-soft',
};

interface GraphNodeProps {
  node: ShapeNode;
  member: OrchestrationMember;
  run: ShownRun | undefined;
}

/** A member, its agent, and the state of either. */
export function GraphNode({ node, member, run }: GraphNodeProps) {
  const progress = run && progressOf(node.id, run.calls, run.hasEnded);
  const isQuiet = progress?.state === 'not called' || progress?.state === 'pending';
  return (
    <Link
      {...memberLink(member.ref)}
      className={`block h-full rounded border px-3 py-2 text-meta leading-[18px] hover:border-accent ${looks[progress?.state ?? 'pending']}`}
    >
      <span className="flex items-baseline gap-2">
        <span className={`min-w-0 flex-1 truncate font-strong ${isQuiet ? 'text-quiet' : ''}`}>{member.name}</span>
        {progress === undefined ? (
          <MemberState of={member.ref} />
        ) : (
          <State meaning={meanings[progress.state]}>{progress.state}</State>
        )}
      </span>
      <span className="flex items-baseline gap-2 text-quiet">
        <span className="min-w-0 flex-1 truncate font-mono" title={member.ref}>
          {member.ref}
        </span>
        {progress !== undefined && <Took progress={progress} />}
      </span>
      {node.part !== undefined && <span className="block truncate text-quiet">{node.part}</span>}
      {member.fallback !== undefined && (
        <span className="block truncate text-quiet">
          {progress?.calls.some(isFallback) === true ? 'fallback: ' : 'else '}
          {progress?.calls.findLast(isFallback)?.member ?? member.fallback}
        </span>
      )}
    </Link>
  );
}

const tick_ms = 200;

function Took({ progress: { calls, last, state } }: { progress: Progress }) {
  if (last === undefined) return null;
  const ended = calls.filter(({ ended_at }) => ended_at !== null);
  const rounds = calls.length > 1 && !calls.some(isFallback) ? `${calls.length} calls, ` : '';
  return (
    <span className="whitespace-nowrap">
      {rounds}
      {state === 'running' ? (
        <Running call={last} />
      ) : (
        duration(ended.reduce((sum, call) => sum + (tookOf(call, 0) ?? 0), 0))
      )}
    </span>
  );
}

function Running({ call }: { call: NonNullable<Progress['last']> }) {
  return duration(tookOf(call, useNow(tick_ms)));
}
