// The input of a member from a text. Pure.
import { inputFields } from '@gantry/contract/input-fields.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { textIntoInput } from '@gantry/contract/text-into-input.ts';
import { placedAt } from './at-pointer.ts';

export interface Fitting {
  /** agents/<name> */
  ref: string;
  /** `input` of the member in orchestration.yaml. */
  pointer: string | undefined;
  schema: Record<string, unknown> | null;
}

/**
 * A text becomes the conversation, or the only text, or the value at the pointer. Another value is the whole input.
 * Throws `mapping_needed` with the fields of the schema.
 */
export function into({ ref, pointer, schema }: Fitting, input: unknown): unknown {
  if (typeof input !== 'string') return input;
  if (pointer !== undefined) return placedAt(pointer, input);
  const fitted = textIntoInput(schema, input);
  if (fitted !== undefined) return fitted;
  const names = inputFields(schema)
    .map(({ name }) => `/${name}`)
    .join(', ');
  throw new Problem('mapping_needed', {
    detail: `A text does not fit the input of ${ref}${names === '' ? ': its code declares none' : `, which has ${names}`}.`,
  });
}
