// Who may answer a waiting run beside its caller, as `access.may_answer` names them.
import { parsePrincipal } from '../refs.ts';
import { isAtLeast, roles, type Role } from '../roles.ts';

type Answerer = { kind: 'team' | 'user'; name: string } | { kind: 'role'; role: Role };

/** Undefined for any other text. */
function parseAnswerer(text: string): Answerer | undefined {
  const role = roles.find((one) => text === `role:${one}`);
  if (role !== undefined) return { kind: 'role', role };
  const principal = parsePrincipal(text);
  return principal?.kind === 'team' || principal?.kind === 'user'
    ? { kind: principal.kind, name: principal.name }
    : undefined;
}

export const isAnswerer = (text: string): boolean => parseAnswerer(text) !== undefined;

/** `role` is the person's own in the team of the agent; undefined without one. */
export function isNamed(
  answerers: readonly string[],
  person: { email: string | undefined; teams: readonly string[]; role: Role | undefined },
): boolean {
  return answerers.some((text) => {
    const one = parseAnswerer(text);
    if (one?.kind === 'team') return person.teams.includes(one.name);
    if (one?.kind === 'user') return person.email === one.name;
    return one?.kind === 'role' && person.role !== undefined && isAtLeast(person.role, one.role);
  });
}
