// What the service reads of a worker pool. Google's answers have more, and none of it is sent back.
import { z } from 'zod';

export const poolTemplate = z.object({
  labels: z.record(z.string(), z.string()).default({}),
  serviceAccount: z.string().default(''),
  containers: z
    .array(
      z.object({
        name: z.string().default(''),
        image: z.string(),
        command: z.array(z.string()).default([]),
        workingDir: z.string().default(''),
        env: z
          .array(
            z.union([
              z.object({
                name: z.string(),
                valueSource: z.object({ secretKeyRef: z.object({ secret: z.string(), version: z.string() }) }),
              }),
              z.object({ name: z.string(), value: z.string().default('') }),
            ]),
          )
          .default([]),
        resources: z.object({ limits: z.record(z.string(), z.string()) }),
      }),
    )
    .max(1),
});
export type PoolTemplate = z.output<typeof poolTemplate>;

export const pool = z.object({
  /** `projects/<project>/locations/<region>/workerPools/<id>` */
  name: z.string(),
  etag: z.string().default(''),
  labels: z.record(z.string(), z.string()).default({}),
  annotations: z.record(z.string(), z.string()).default({}),
  createTime: z.iso.datetime({ offset: true }).optional(),
  deleteTime: z.iso.datetime({ offset: true }).optional(),
  /** As it is: somebody may have changed it by hand. */
  template: z.unknown().optional(),
  terminalCondition: z.object({ state: z.string().optional(), message: z.string().optional() }).optional(),
});
export type Pool = z.output<typeof pool>;

export const poolPage = z.object({ workerPools: z.array(pool).default([]), nextPageToken: z.string().optional() });

export const idOf = ({ name }: Pick<Pool, 'name'>): string => name.slice(name.lastIndexOf('/') + 1);
