// The containers of agents and the signals that they got, read from the engine past the service.
import type { Engine } from '../../server/src/assets/docker/client.ts';
import { label, ownedBy } from '../../server/src/assets/docker/labels.ts';

export interface AgentContainer {
  id: string;
  agent: string | undefined;
  image: string;
  isRunning: boolean;
  started_at: string;
}

export async function agentContainers(engine: Engine): Promise<AgentContainer[]> {
  const found = await engine.docker.listContainers({ all: true, filters: ownedBy(engine, 'agent') });
  const inspected = await Promise.all(found.map(async ({ Id }) => await engine.docker.getContainer(Id).inspect()));
  return inspected
    .map(({ Id, Config, Image, State }) => ({
      id: Id,
      agent: Config.Labels[label.agent],
      image: Image,
      isRunning: State.Running,
      started_at: State.StartedAt,
    }))
    .toSorted((one, other) => one.id.localeCompare(other.id));
}

/** The numbers of the signals that the engine has sent to a container since then. */
export async function signalsTo(engine: Engine, container: string, since: Date): Promise<string[]> {
  const stream = await engine.docker.getEvents({
    since: since.getTime() / 1000,
    until: Date.now() / 1000,
    filters: { container: [container], event: ['kill'] },
  });
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map(
    (line) => (JSON.parse(line) as { Actor: { Attributes: { signal: string } } }).Actor.Attributes.signal,
  );
}
