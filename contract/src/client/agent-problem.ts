import { Problem, type Fault } from '../problems.ts';

/**
 * Reads a refusal from an agent's own server. The ingress passes it unchanged, and the wrapper has codes that are not
 * in our table. So it becomes `agent_error`, or `agent_unavailable` when the agent takes no calls now. It keeps its
 * sentence, and its code goes into `agent_code`.
 */
export function readAgentProblem(value: unknown): Problem | undefined {
  if (typeof value !== 'object' || value === null || !('code' in value) || !('detail' in value)) return undefined;
  const {
    type: _type,
    title: _title,
    status,
    code,
    detail,
    hint,
    errors,
    ...fields
  } = value as Record<string, unknown>; // every member is checked below or only shown
  if (typeof code !== 'string' || typeof detail !== 'string') return undefined;
  return new Problem(status === 503 ? 'agent_unavailable' : 'agent_error', {
    detail,
    fields: { ...fields, agent_code: code },
    ...(typeof hint === 'string'
      ? { hint }
      : typeof status === 'number' && status < 500
        ? { hint: 'Change the call; the agent itself works.' }
        : {}),
    ...(Array.isArray(errors) ? { errors: errors.map(readAgentFault) } : {}),
  });
}

/** The wrapper's faults have `detail` instead of `message`. */
function readAgentFault(value: unknown): Fault {
  const { pointer, detail } = Object(value) as Record<string, unknown>; // both are checked here
  return {
    message: typeof detail === 'string' ? detail : JSON.stringify(value),
    ...(typeof pointer === 'string' ? { pointer } : {}),
  };
}
