// What each idle agent costs the service: the slope of memory and processor time over the number of agents.
import { setTimeout as sleep } from 'node:timers/promises';
import { deployProject } from '../service/deploy-project.ts';
import { pssMegabytes } from '../idle-memory.ts';
import { descendants, processorMilliseconds, treeProcessorMilliseconds } from '../load/process-tree.ts';
import type { Row } from '../report/row.ts';
import type { Placed } from './placed.ts';

const settle_ms = 35_000; // connections that idle are closed after 30 s
const sample_ms = 30_000;
// A user's deploys beyond three wait for each other.
const deploys_at_once = 3;

interface Look {
  agents: number;
  service_mb: number;
  database_mb: number;
  /** The processor time within a second, in milliseconds. */
  service_ms: number;
  all_ms: number;
}

/** They stay deployed. */
export async function measureIdleAgents(
  { installation, client }: Placed,
  { agents }: { agents: readonly number[] },
): Promise<Row[]> {
  const looks: Look[] = [];
  let made = 0;
  for (const count of agents) {
    const deployAll = async () => {
      while (made < count) {
        const name = `idle-${made++}`;
        await deployProject(client, await installation.project('langgraph-greeter', name, { name }));
      }
    };
    await Promise.all(Array.from({ length: deploys_at_once }, deployAll));
    await sleep(settle_ms);
    looks.push({ agents: count, ...(await look(await installation.pid())) });
  }
  const how = `the slope over ${agents.join(', ')} idle agents, by least squares`;
  const slope = (of: (one: Look) => number) => [slopeOf(looks.map((one) => [one.agents, of(one)]))];
  const at = (of: (one: Look) => number, digits: number) => looks.map((one) => of(one).toFixed(digits)).join(', ');
  return [
    {
      measure: 'memory of the service for each idle agent',
      unit: 'KB',
      samples: slope(({ service_mb }) => service_mb * 1024),
      how: `${how}: ${at(({ service_mb }) => service_mb, 0)} MB`,
    },
    {
      measure: '… and of PostgreSQL',
      unit: 'KB',
      samples: slope(({ database_mb }) => database_mb * 1024),
      how: `${at(({ database_mb }) => database_mb, 0)} MB`,
    },
    {
      measure: 'processor time of the service in a second for each idle agent',
      unit: 'ms',
      samples: slope(({ service_ms }) => service_ms),
      how: `${how}: ${at(({ service_ms }) => service_ms, 1)} ms, in ${sample_ms / 1000} s`,
    },
    {
      measure: '… with PostgreSQL',
      unit: 'ms',
      samples: slope(({ all_ms }) => all_ms),
      how: `${at(({ all_ms }) => all_ms, 1)} ms`,
    },
  ];
}

async function look(pid: number): Promise<Omit<Look, 'agents'>> {
  const used = async () => [await processorMilliseconds(pid), await treeProcessorMilliseconds(pid)] as const;
  const before = await used();
  await sleep(sample_ms);
  const after = await used();
  const database = await Promise.all((await descendants(pid)).map(pssMegabytes));
  return {
    service_mb: await pssMegabytes(pid),
    database_mb: database.reduce((sum, one) => sum + one, 0),
    service_ms: ((after[0] - before[0]) * 1000) / sample_ms,
    all_ms: ((after[1] - before[1]) * 1000) / sample_ms,
  };
}

function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (of: readonly number[]) => of.reduce((sum, one) => sum + one, 0) / of.length;
  const [x, y] = [mean(points.map(([one]) => one)), mean(points.map(([, one]) => one))];
  const above = points.reduce((sum, [one, other]) => sum + (one - x) * (other - y), 0);
  return above / points.reduce((sum, [one]) => sum + (one - x) ** 2, 0);
}
