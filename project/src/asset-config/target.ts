import { z } from 'zod';
import type { TargetKind } from '@gantry/contract/assets/targets.ts';
import { engine } from './target/engine.ts';
import { kubernetes } from './target/kubernetes.ts';

const kinds = { engine, kubernetes } as const satisfies Record<TargetKind, z.ZodType>;

/** Where else agents run, by its kind. */
export const target = z.discriminatedUnion('kind', [kinds.engine, kinds.kubernetes]);

export type TargetConfig<K extends TargetKind> = z.output<(typeof kinds)[K]>;
