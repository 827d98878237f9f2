// What `npm run bench -- sizes` stores in figures.json, and what follows from it for more replicas.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

export const measured_roles = ['api', 'ingress', 'worker', 'gateway'] as const;

const load = z.object({
  role: z.enum(['api', 'ingress']),
  call: z.string(),
  replicas: z.number(),
  calls_per_second: z.number().positive(),
  /** Processor time for each call. */
  service_ms: z.number().positive(),
  postgres_ms: z.number().positive(),
});
const figures = z.object({
  date: z.string(),
  cores: z.number(),
  clients: z.number(),
  loads: z.array(load),
  roles: z.array(
    z.object({
      role: z.enum(measured_roles),
      rest_mb: z.number().positive(),
      load_mb: z.number().positive(),
      /** Connections to the database. */
      open: z.number().positive(),
      listening: z.number(),
    }),
  ),
});

export type Figures = z.output<typeof figures>;
export type LoadFigures = z.output<typeof load>;

export async function readFigures(): Promise<Figures> {
  return figures.parse(JSON.parse(await readFile(join(import.meta.dirname, 'figures.json'), 'utf8')));
}

/** The share of a processor that a plan counts on. The rest is for peaks and for the loss of a replica. */
export const utilisation = 0.6;
/** The service is one thread of JavaScript, so a replica uses about one core. */
export const replica_cores = 1;

interface Bounds {
  service: number;
  database: number;
  first: 'the replicas' | 'PostgreSQL';
}

/** Calls in a second that these replicas carry on a PostgreSQL with these cores. */
export function boundsOf(cost: LoadFigures, replicas: number, database_cores: number): Bounds {
  const service = (replicas * replica_cores * utilisation * 1000) / cost.service_ms;
  const database = (database_cores * utilisation * 1000) / cost.postgres_ms;
  return { service, database, first: service <= database ? 'the replicas' : 'PostgreSQL' };
}

/** The costs of a call with the most replicas that were measured: contention is in them. */
export function costsOf({ loads }: Figures): LoadFigures[] {
  const most = Math.max(...loads.map(({ replicas }) => replicas));
  return loads.filter(({ replicas }) => replicas === most);
}
