// Requests to the calls of an agent. A caller's runs are their own.
import type { StoredAgent } from '../stored/stored-agent.ts';
import type { Actor, Look } from './route-table.ts';

interface At {
  agent: StoredAgent;
}

/** `runOf`: an ended call of the actor, or of another caller. */
export function invokeRequests<Subject extends At>(runOf: (look: Look, actor: Actor, at: Subject) => Promise<string>) {
  const ofAgent = ({ agent }: At) => ({ params: { name: agent.name } });
  const called = (at: At) => ({ ...ofAgent(at), body: { input: { name: 'Ada' } } });
  const ofRun = async (at: Subject, look: Look, actor: Actor) => ({
    params: { name: at.agent.name, run_id: await runOf(look, actor, at) },
  });
  return {
    'invoke.call': called,
    'invoke.stream': called,
    'invoke.run': ofRun,
    'invoke.cancel': ofRun,
    'invoke.feedback': async (at: Subject, look: Look, actor: Actor) => ({
      ...(await ofRun(at, look, actor)),
      body: { is_good: true },
    }),
    'invoke.health': ofAgent,
    'invoke.input': ofAgent,
  };
}
