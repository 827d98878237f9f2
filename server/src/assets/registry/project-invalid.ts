import { Problem } from '@gantry/contract/problems.ts';
import type { Finding } from '@gantry/project/finding.ts';

/** The refusal of pushed files. Its detail has the first fault; `errors` has them all. */
export function projectInvalid(errors: readonly Finding[], more: { hint?: string } = {}): Problem {
  const [first] = errors;
  const place = first === undefined ? '' : `${first.file}:${first.line}:${first.column}: ${first.message}.`;
  const others = errors.length < 2 ? '' : ` And ${errors.length - 1} more.`;
  return new Problem('project_invalid', {
    detail: place + others,
    errors: errors.map((finding) => ({ ...finding })),
    ...more,
  });
}
