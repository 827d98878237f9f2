// The endpoints that a caller may use on a shown thing, each with the answer of its own checks. Checks of the input are not among them.
import { z } from 'zod';

export const permitted = z.object({
  allowed: z.boolean(),
  reason: z.string().optional().describe('the sentence of the refusal'),
  ask: z.string().optional().describe('the command in the hint of the refusal'),
});
export type Permitted = z.output<typeof permitted>;

/** By the endpoint's name. An endpoint that does not apply to the shown thing is absent. */
export function canUse<const Name extends string>(names: readonly Name[]) {
  return z.partialRecord(z.enum(names), permitted).describe('what you may do with it, by the name of the endpoint');
}
