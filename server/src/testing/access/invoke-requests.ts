// Calls of agents, and what their callers ask about them.
import type { StoredAgent } from '../stored/stored-agent.ts';
import type { Actor, Look } from './route-table.ts';

/** `runOf`: an ended call of the actor, or of another caller. */
export function invokeRequests<Subject extends { agent: StoredAgent }>(
  runOf: (look: Look, actor: Actor, at: Subject) => Promise<string>,
) {
  const ofAgent = ({ agent }: Subject) => ({ params: { name: agent.name } });
  const called = (at: Subject) => ({ ...ofAgent(at), body: { input: { name: 'Ada' } } });
  const ofRun = async (at: Subject, look: Look, actor: Actor) => ({
    params: { name: at.agent.name, run_id: await runOf(look, actor, at) },
  });
  return {
    'invoke.call': called,
    'invoke.stream': called,
    'invoke.run': ofRun,
    'invoke.cancel': ofRun,
    'invoke.health': ofAgent,
    'invoke.input': ofAgent,
  };
}
