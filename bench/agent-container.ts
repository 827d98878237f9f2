// The container of an agent, reached in ways that only a benchmark may use: by its address, and from within.
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { deriveKey } from '../server/src/derive-key.ts';
import { ingressSecret } from '../server/src/deploy/ingress-secret.ts';
import type { Measured } from './service.ts';

export interface AgentContainer {
  url: string;
  secret: string;
  /** Runs a Python script inside, beside the agent, and returns its output. */
  python(script: string): Promise<string>;
}

export async function agentContainer({ engine, secret_key }: Measured, revision_id: string): Promise<AgentContainer> {
  const filters = { label: [`gantry.revision=${revision_id}`], status: ['running'] };
  const [found] = await engine.docker.listContainers({ filters });
  const [network] = Object.values(found?.NetworkSettings.Networks ?? {});
  if (found === undefined || network === undefined) throw new Error(`the revision ${revision_id} does not run`);
  const container = engine.docker.getContainer(found.Id);
  return {
    url: `http://${network.IPAddress}:8080`,
    secret: ingressSecret(deriveKey(secret_key, 'ingress-secret'), revision_id),
    python: async (script) => {
      const exec = await container.exec({
        Cmd: ['/opt/venv/bin/python', '-c', script],
        AttachStdout: true,
        AttachStderr: true,
      });
      const output = await exec.start({});
      const [out, err] = [new PassThrough(), new PassThrough()];
      engine.docker.modem.demuxStream(output, out, err);
      output.on('end', () => {
        out.end();
        err.end();
      });
      const [printed, complained] = await Promise.all([text(out), text(err)]);
      if (printed === '') throw new Error(complained);
      return printed;
    },
  };
}
