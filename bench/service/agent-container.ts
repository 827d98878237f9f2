// The container of an agent, reached by its address and through the engine. Only a measurement may do that.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import type { Measured } from './service.ts';

export interface AgentContainer {
  url: string;
  secret: string;
  /** Its processor time so far, in milliseconds. */
  processorMilliseconds(): Promise<number>;
  /** Another container of the same image, limits and network, with a Python script in the place of ours. */
  beside(script: string): Promise<BareContainer>;
}

type BareContainer = Pick<AgentContainer, 'url' | 'processorMilliseconds'> & { remove(): Promise<void> };

export async function agentContainer({ engine }: Measured, revision_id: string): Promise<AgentContainer> {
  const filters = { label: [`gantry.revision=${revision_id}`], status: ['running'] };
  const [found] = await engine.docker.listContainers({ filters });
  if (found === undefined) throw new Error(`the revision ${revision_id} does not run`);
  const container = engine.docker.getContainer(found.Id);
  return {
    url: await addressOf(container),
    secret: await ingressSecretOf(container),
    processorMilliseconds: async () => await processorMilliseconds(container),
    beside: async (script) => {
      const { Image, Config, HostConfig } = await container.inspect();
      const bare = await engine.docker.createContainer({
        Image,
        User: Config.User,
        WorkingDir: Config.WorkingDir,
        Env: Config.Env,
        Entrypoint: [],
        Cmd: ['/opt/venv/bin/python', '-c', script],
        // Without the agent's secrets.
        HostConfig: { ...HostConfig, Mounts: [], AutoRemove: true },
      });
      await bare.start();
      return {
        url: await addressOf(bare),
        processorMilliseconds: async () => await processorMilliseconds(bare),
        remove: async () => void (await bare.remove({ force: true })),
      };
    },
  };
}

/** From the files that the service gave to the container. */
async function ingressSecretOf(container: Docker.Container): Promise<string> {
  const { Mounts } = await container.inspect();
  const [files] = Mounts;
  if (files === undefined) throw new Error('the container has no secrets');
  return await readFile(join(files.Source, 'SVC_INGRESS_SECRET'), 'utf8');
}

async function addressOf(container: Docker.Container): Promise<string> {
  const [network] = Object.values((await container.inspect()).NetworkSettings.Networks);
  if (network === undefined) throw new Error('the container has no network');
  return `http://${network.IPAddress}:8080`;
}

async function processorMilliseconds(container: Docker.Container): Promise<number> {
  const { cpu_stats } = await container.stats({ stream: false, 'one-shot': true });
  return cpu_stats.cpu_usage.total_usage / 1e6;
}
