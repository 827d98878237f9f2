import { Problem } from '@gantry/contract/problems.ts';
import { DestinationRefused, type Outbound } from '../../../ground/outbound/outbound.ts';

/** An upstream in a private network could read it there. Throws `invalid`. */
export function requireAddress({ outbound }: { outbound: Outbound }, address: string): void {
  try {
    outbound.read(address);
  } catch (error) {
    if (!(error instanceof DestinationRefused)) throw error;
    throw new Problem('invalid', {
      errors: [{ message: `The model may not read ${JSON.stringify(address.slice(0, 100))}. ${error.message}` }],
    });
  }
}
