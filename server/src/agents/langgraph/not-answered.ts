import { Problem } from '@gantry/contract/problems.ts';

/** `what`: a member and its value, or a part of the API. */
export const notAnswered = (what: string) => new Problem('not_answered', { detail: `${what} is not answered here.` });

/** Throws `not_answered` for the first one that is asked for. */
export function refuseUnanswered(asked: Readonly<Record<string, boolean>>): void {
  const found = Object.entries(asked).find(([, isAsked]) => isAsked);
  if (found !== undefined) throw notAnswered(`\`${found[0]}\``);
}
