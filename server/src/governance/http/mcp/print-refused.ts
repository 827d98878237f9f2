// A refusal for a model: why, and what would help.
import { problems, type Problem } from '@gantry/contract/problems.ts';

export function printRefused({ code, detail, hint, retry_after_seconds: seconds }: Problem): string {
  // There is no Retry-After here.
  const next = seconds === undefined ? undefined : `Call again after ${seconds} seconds`;
  const said = [problems[code].title, detail, hint, next].filter((part) => part !== undefined && part !== '');
  return said.map((part) => part?.replace(/\.$/, '')).join('. ');
}

export function retryOf({ retry_after_seconds: seconds }: Problem): Record<string, number> {
  return seconds === undefined ? {} : { 'gantry/retry_after_seconds': seconds };
}
