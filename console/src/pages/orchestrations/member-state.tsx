import { useQuery } from '@tanstack/react-query';
import { State } from '../../parts/state.tsx';
import { ask } from '../../server.ts';
import { AgentState } from '../agents/agent-state.tsx';

/** Of the agent. A member that the reader may not read has none. */
export function MemberState({ agent }: { agent: string }) {
  const { data, error } = useQuery(ask('agents.status', { params: { name: agent } }));
  if (data !== undefined) return <AgentState state={data.state} />;
  return error === null ? <span className="skeleton h-4 w-16" /> : <State meaning="none">not visible</State>;
}
