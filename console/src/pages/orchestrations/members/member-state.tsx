import { useQuery } from '@tanstack/react-query';
import { State } from '../../../parts/figures/state.tsx';
import { ask } from '../../../server.ts';
import { isOrchestration } from '@gantry/project/orchestration-yaml.ts';
import { agentNameOf } from './agent-name.ts';
import { AgentState } from '../../agents/agent-state.tsx';

/** A member that the reader may not read has none. */
export function MemberState({ of }: { of: string }) {
  const name = agentNameOf(of);
  return isOrchestration({ ref: of }) ? <OrchestrationState name={name} /> : <StateOfAgent agent={name} />;
}

function OrchestrationState({ name }: { name: string }) {
  const { data, error } = useQuery(ask('registry.show', { params: { kind: 'orchestration', name } }));
  if (data === undefined)
    return error === null ? <span className="skeleton h-4 w-16" /> : <State meaning="none">not visible</State>;
  return data.serving_version === null ? (
    <State meaning="none">not deployed</State>
  ) : (
    <State meaning="good">{`serves ${data.serving_version}`}</State>
  );
}

function StateOfAgent({ agent }: { agent: string }) {
  const { data, error } = useQuery(ask('agents.status', { params: { name: agent } }));
  if (data !== undefined) return <AgentState state={data.state} />;
  return error === null ? <span className="skeleton h-4 w-16" /> : <State meaning="none">not visible</State>;
}
