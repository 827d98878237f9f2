import type { z } from 'zod';
import type { certificate } from './ways.ts';

export type AddFault = (field: string, message: string) => void;

/** What every target has, before the check of its kind. */
interface Shared {
  address?: string | undefined;
  registry: string;
  ca?: z.output<typeof certificate> | undefined;
}

interface Kind<Fields extends z.ZodRawShape> {
  /** Those of this kind alone, all optional: the check says what is missing. */
  fields: Fields;
  check(config: Shared & Partial<z.output<z.ZodObject<Fields>>>, fault: AddFault): void;
}

export const kind = <const Fields extends z.ZodRawShape>(of: Kind<Fields>): Kind<Fields> => of;
