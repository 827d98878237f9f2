// The input of a member. Pure.
import { inputFields } from '@gantry/project/input/input-fields.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { textIntoInput } from '@gantry/project/input/text-into-input.ts';
import { isJson } from '../../../models/gateway/wires/wire.ts';
import { textOfOutput } from '../../invoke/streams/text-of-output.ts';
import { atPointer, placedAt, segmentsOf } from './at-pointer.ts';

export interface Fitting {
  /** agents/<name> */
  ref: string;
  /** `input` of the member in orchestration.yaml. */
  pointer: string | undefined;
  schema: Record<string, unknown> | null;
  /** Without these fields the member refuses a call. Null: it has not said so. */
  required: readonly string[] | null;
}

/**
 * With a pointer: an input that has this place is the whole input, and the text of any other one is put there. Without one, a text becomes
 * the conversation or the only text, and another value is the whole input. Throws `mapping_needed` with the fields of the schema.
 */
export function into({ ref, pointer, schema, required }: Fitting, input: unknown): unknown {
  if (pointer !== undefined)
    return isJson(input) && atPointer(input, pointer) !== undefined ? input : placedAt(pointer, textOfOutput(input));
  if (typeof input !== 'string') return input;
  const fitted = textIntoInput(schema, input);
  if (fitted !== undefined) return fitted;
  const names = inputFields(schema)
    .map(({ name }) => `/${name}`)
    .join(', ');
  throw new Problem('mapping_needed', {
    detail: `A text does not fit the input of ${ref}${names === '' ? ': its code declares none' : `, which has ${names}`}.`,
    ...(takesNoText(required) && { hint: `Send an object: the agent needs ${required.join(', ')}.` }),
  });
}

/** No pointer helps: a text fills one field. */
export function takesNoText(required: readonly string[] | null): required is readonly string[] {
  return required !== null && required.length > 1;
}

const no_texts: readonly unknown[] = ['integer', 'number', 'boolean'];

/** Why no text at the pointer can be the input. Undefined when one can. */
export function pointerFault({ ref, pointer = '', schema, required }: Fitting): string | undefined {
  const [field] = segmentsOf(pointer);
  if (field === undefined) return undefined;
  const { properties } = schema ?? {};
  const said = `\`input: ${pointer}\``;
  if (isJson(properties) && Object.keys(properties).length > 0) {
    if (!Object.hasOwn(properties, field))
      return `${said} names a field that ${ref} does not have. It has ${Object.keys(properties).join(', ')}.`;
    const property = properties[field];
    const type = isJson(property) ? property['type'] : undefined;
    if (no_texts.includes(type)) return `${said} puts a text where ${ref} takes the type ${String(type)}.`;
  }
  const missing = (required ?? []).filter((name) => name !== field);
  if (missing.length === 0) return undefined;
  return `${said} fills one field, and ${ref} also needs ${missing.join(', ')}.`;
}
