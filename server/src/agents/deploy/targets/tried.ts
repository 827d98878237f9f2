import { Problem } from '@gantry/contract/problems.ts';
import type { TargetFinding } from '@gantry/contract/assets/targets.ts';

/** What was found, or the sentence of the problem. */
export async function tried(part: string, look: () => Promise<string>): Promise<TargetFinding> {
  try {
    return { part, works: true, message: await look() };
  } catch (error) {
    if (error instanceof Problem) return { part, works: false, message: error.detail };
    throw error;
  }
}
