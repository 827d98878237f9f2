// What is wrong with the machine under the service, and what to do about it. Each check is handed over by app.ts.
import type { finding } from '@gantry/contract/service.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { z } from 'zod';

export type Finding = z.output<typeof finding>;

export interface Check {
  part: string;
  /** What it throws is a finding, too. */
  look: (signal: AbortSignal) => Promise<Omit<Finding, 'part'>>;
}

const max_ms = 10_000;

export async function inspect(checks: readonly Check[], signal: AbortSignal): Promise<Finding[]> {
  return await Promise.all(checks.map(async (check) => ({ part: check.part, ...(await examine(check, signal)) })));
}

export async function examine(check: Check, signal: AbortSignal): Promise<Omit<Finding, 'part'>> {
  const deadline = AbortSignal.timeout(max_ms);
  const late = new Promise<Omit<Finding, 'part'>>((resolve) => {
    deadline.addEventListener('abort', () =>
      resolve({ verdict: 'problem', detail: `did not answer within ${max_ms / 1000} s`, fix: null }),
    );
  });
  try {
    return await Promise.race([check.look(AbortSignal.any([signal, deadline])), late]);
  } catch (error) {
    if (error instanceof Problem) return { verdict: 'problem', detail: error.detail, fix: error.hint ?? null };
    // Here a failure is what was asked for; the other checks still answer.
    return { verdict: 'problem', detail: `it cannot be looked at: ${String(error)}`, fix: null };
  }
}

export const ok = (detail: string): Omit<Finding, 'part'> => ({ verdict: 'ok', detail, fix: null });
export const warning = (detail: string, fix: string): Omit<Finding, 'part'> => ({ verdict: 'warning', detail, fix });
export const problem = (detail: string, fix: string): Omit<Finding, 'part'> => ({ verdict: 'problem', detail, fix });
