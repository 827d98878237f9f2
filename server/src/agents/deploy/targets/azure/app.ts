// What the service reads of a container app. Azure's answers have more, and none of it is sent back.
import { z } from 'zod';

export const appTemplate = z.object({
  image: z.string(),
  cpu: z.number(),
  memory: z.string(),
  env: z.array(z.object({ name: z.string(), value: z.string() })),
});
/** All that a replica starts with, except the values of its secrets and the key to them. */
export type AppTemplate = z.output<typeof appTemplate>;

export const app = z.object({
  name: z.string(),
  tags: z.record(z.string(), z.string()).nullish(),
  systemData: z.object({ createdAt: z.string().optional() }).nullish(),
  properties: z.object({
    provisioningState: z.string().nullish(),
    /** As they are: somebody may have changed them by hand. */
    configuration: z.unknown().optional(),
    template: z.unknown().optional(),
  }),
});
export type App = z.output<typeof app>;

export const appPage = z.object({ value: z.array(app), nextLink: z.string().nullish() });

export const tagOf = ({ tags }: App, name: string): string | undefined => tags?.[name];
