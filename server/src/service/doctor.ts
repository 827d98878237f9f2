// Findings about the service's machine, each with a remedy. app.ts passes the checks.
import type { finding } from '@gantry/contract/service.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { z } from 'zod';
import { within } from '../ground/within.ts';

export type Finding = z.output<typeof finding>;

export interface Check {
  part: string;
  /** An exception becomes a finding. */
  look: (signal: AbortSignal) => Promise<Omit<Finding, 'part'>>;
}

const max_ms = 10_000;

export async function inspect(checks: readonly Check[], signal: AbortSignal): Promise<Finding[]> {
  return await Promise.all(checks.map(async (check) => ({ part: check.part, ...(await examine(check, signal)) })));
}

export async function examine(check: Check, signal: AbortSignal): Promise<Omit<Finding, 'part'>> {
  const over = new AbortController();
  try {
    const found = await within(max_ms, check.look(AbortSignal.any([signal, over.signal])));
    return found ?? { verdict: 'problem', detail: `did not answer within ${max_ms / 1000} s`, fix: null };
  } catch (error) {
    if (error instanceof Problem) return { verdict: 'problem', detail: error.detail, fix: error.hint ?? null };
    // A failure is a finding here, and the other checks still run.
    return { verdict: 'problem', detail: `the check failed: ${String(error)}`, fix: null };
  } finally {
    over.abort();
  }
}

export const ok = (detail: string): Omit<Finding, 'part'> => ({ verdict: 'ok', detail, fix: null });
export const warning = (detail: string, fix: string): Omit<Finding, 'part'> => ({ verdict: 'warning', detail, fix });
export const problem = (detail: string, fix: string): Omit<Finding, 'part'> => ({ verdict: 'problem', detail, fix });
