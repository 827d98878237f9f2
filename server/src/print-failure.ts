// Why the program has ended, for its log: a sentence for what an operator can change, the stack of everything else.
import { Problem } from '@gantry/contract/problems.ts';
import { ConfigFault } from './ground/config/config.ts';
import { DataDirectoryInUse } from './ground/data-directory.ts';
import { PortTaken } from './governance/http/listening/serve.ts';
import { OrgConfigFault } from './people/principals/org-settings.ts';
import { Mismatch } from './governance/proof/mismatch.ts';

const expected = [ConfigFault, DataDirectoryInUse, OrgConfigFault, Mismatch, Problem, PortTaken];

/** The cause comes first, also when the parts that were open could not be closed after it. */
export function printFailure(error: unknown): string {
  if (error instanceof SuppressedError)
    return `${printFailure(error.suppressed)}\nThe close after it failed too: ${printFailure(error.error)}`;
  if (!(error instanceof Error)) return String(error);
  return expected.some((kind) => error instanceof kind) ? error.message : (error.stack ?? error.message);
}
