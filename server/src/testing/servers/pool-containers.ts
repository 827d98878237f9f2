// The containers of our stand-ins for Cloud Run and Container Apps, on this machine's engine: one that ends is started again, and its lines become entries of a log.
import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { containerLogs } from '../../agents/deploy/targets/docker/container-logs.ts';
import type { PoolTemplate } from '../../agents/deploy/targets/gcp/pool.ts';
import { pullImage } from '../../assets/docker/pull-image.ts';
import type { Engine } from '../../assets/docker/client.ts';

/** As Cloud Run's own notice before it kills. */
const notice_seconds = 10;
const restart_ms = 500;

export interface Said {
  pool: string;
  log: 'stdout' | 'stderr' | 'varlog/system';
  at: string;
  text: string;
}

interface Parts {
  engine: Engine;
  /** The latest value of a secret. */
  readSecret: (id: string) => Promise<string>;
  onLine: (said: Said) => void;
  /** What its platform sets in every container. */
  namesOf?: (id: string) => string[];
  /** What its platform says in its log when a container has ended. */
  endOf?: (exit_code: number) => string;
}

export interface PoolContainers {
  start(id: string, template: PoolTemplate): Promise<void>;
  stop(id: string): Promise<void>;
  /** As when its code fails. */
  kill(id: string): Promise<void>;
  close(): Promise<void>;
}

const cloudRunNames = (id: string) => [`CLOUD_RUN_WORKER_POOL=${id}`, `CLOUD_RUN_REVISION=${id}-00001-abc`];
const cloudRunEnd = (exit_code: number) => `Container called exit(${exit_code}).`;

export function poolContainers({
  engine,
  readSecret,
  onLine,
  namesOf = cloudRunNames,
  endOf = cloudRunEnd,
}: Parts): PoolContainers {
  const running = new Map<string, { container: Docker.Container; isEnding: boolean; kept: Promise<void> }>();
  const images = new Set<string>();

  async function make(id: string, { containers: [of] }: PoolTemplate): Promise<Docker.Container> {
    if (of === undefined) throw new Error(`${id} has no container`);
    await pullImage(engine, of.image, { signal: AbortSignal.timeout(120_000) });
    images.add(of.image);
    const variables = await Promise.all(
      of.env.map(async (one) =>
        'value' in one
          ? `${one.name}=${one.value}`
          : `${one.name}=${await readSecret(one.valueSource.secretKeyRef.secret)}`,
      ),
    );
    return await engine.docker.createContainer({
      Image: of.image,
      Entrypoint: of.command,
      Cmd: [],
      WorkingDir: of.workingDir,
      Env: [...variables, ...namesOf(id)],
      Labels: { 'gantry.test': 'pool' },
    });
  }

  async function follow(id: string, container: Docker.Container): Promise<void> {
    const signal = AbortSignal.timeout(3_600_000);
    for await (const { at, stream, line } of containerLogs(container, { follow: true, signal }, []))
      onLine({ pool: id, log: stream, at, text: line });
  }

  async function keep(id: string, template: PoolTemplate): Promise<void> {
    for (let one = running.get(id); one !== undefined && !one.isEnding; one = running.get(id)) {
      await one.container.start();
      await follow(id, one.container);
      const { StatusCode } = (await one.container.wait()) as { StatusCode: number }; // as the engine answers it
      await one.container.remove({ force: true });
      if (one.isEnding) return;
      const text = endOf(StatusCode);
      onLine({ pool: id, log: 'varlog/system', at: new Date().toISOString(), text });
      await sleep(restart_ms);
      // The next one has the values of today.
      if (!one.isEnding) one.container = await make(id, template);
    }
  }

  async function end(id: string): Promise<void> {
    const one = running.get(id);
    if (one === undefined) return;
    one.isEnding = true;
    await one.container.stop({ t: notice_seconds }).catch(() => {}); // it has ended already
    await one.kept;
    running.delete(id);
  }

  return {
    async start(id, template) {
      const one = { container: await make(id, template), isEnding: false, kept: Promise.resolve() };
      running.set(id, one);
      one.kept = keep(id, template);
    },
    stop: end,
    kill: async (id) => void (await running.get(id)?.container.kill()),
    close: async () => {
      await Promise.all([...running.keys()].map(end));
      for (const image of images) await engine.docker.getImage(image).remove({ force: true });
    },
  };
}
