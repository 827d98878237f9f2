// A request to each endpoint of A2A of an orchestration, for the table of routes.
import { a2aRequest } from '../stored/stored-calls.ts';

interface Subject {
  orchestration: string;
}

/** `taskOf` stores a task that works, and returns its id. */
export function orchestrationA2a<At extends Subject, Look, Actor>(
  taskOf: (at: At, look: Look, actor: Actor) => Promise<string>,
) {
  const named = ({ orchestration: name }: At) => ({ params: { name } });
  const sent = (at: At) => ({ ...named(at), body: a2aRequest.params });
  const ofTask = async (at: At, look: Look, actor: Actor) => ({
    params: { name: at.orchestration, task_id: await taskOf(at, look, actor) },
  });
  return {
    'orchestrate_a2a.card': named,
    'orchestrate_a2a.rpc': (at: At) => ({ ...named(at), body: a2aRequest }),
    'orchestrate_a2a.send': sent,
    'orchestrate_a2a.stream': sent,
    'orchestrate_a2a.tasks': named,
    'orchestrate_a2a.task': ofTask,
    'orchestrate_a2a.cancel': ofTask,
    'orchestrate_a2a.subscribe': ofTask,
    'orchestrate_a2a.watch': ofTask,
  };
}
