import { nearest } from '@gantry/contract/nearest.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { namePattern, parseRef, parseVersionRef } from '@gantry/contract/refs.ts';
import type { Input } from '../command.ts';
import { misuse } from '../refusal.ts';
import type { Session } from '../session/session.ts';

export const agentArgument: Input<string> = {
  summary: 'The agent: <name> or agents/<name>',
  required: true,
  names: 'agent',
  read: (given) => readAgentName(String(given)),
};

export function optionalAgent(summary: string): Input<string | undefined> {
  return { summary, names: 'agent', read: (given) => (given === undefined ? undefined : readAgentName(String(given))) };
}

export function agentFlag(summary: string): Input<string | undefined> {
  return { ...optionalAgent(summary), placeholder: 'agent' };
}

/** `greeter`, or the reference `agents/greeter`. */
function readAgentName(given: string): string {
  const name = given.startsWith('agents/') ? given.slice('agents/'.length) : given;
  if (namePattern.test(name)) return name;
  const version = parseVersionRef(`agents/${name}`);
  if (version !== undefined)
    throw misuse(`"${given}" is a version, not an agent`, `Leave the version out: ${version.name}.`);
  const other = parseRef(given);
  throw misuse(
    other === undefined ? `"${given}" is not the name of an agent` : `"${given}" is a ${other.kind}, not an agent`,
    'Write it like greeter or agents/greeter. Run `svc list` to see yours.',
  );
}

/** Runs an operation on the agent; a refusal names this agent, or the one that the user probably meant. */
export async function suggestAgent<Value>(session: Session, name: string, act: () => Promise<Value>): Promise<Value> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw error.code === 'not_found' ? await withSuggestion(session, name, error) : withName(name, error);
  }
}

async function withSuggestion(session: Session, name: string, { fields }: Problem): Promise<Problem> {
  const { items } = await session.call('agents.statuses', { query: { limit: 200 } });
  const others = items.map((agent) => agent.name).filter((each) => each !== name);
  const meant = nearest(name, others);
  return new Problem('not_found', {
    detail: `There is no agent "${name}" that you may read`,
    hint: meant === undefined ? 'Run `svc status` to list your agents.' : `Did you mean ${meant}?`,
    fields,
  });
}

/** The hints in contract/src/problems.ts have `<name>` in place of an agent. */
function withName(name: string, problem: Problem): Problem {
  const { code, detail, hint, errors, fields } = problem;
  if (hint?.includes('<name>') !== true) return problem;
  return new Problem(code, { detail, hint: hint.replaceAll('<name>', name), errors, fields });
}
