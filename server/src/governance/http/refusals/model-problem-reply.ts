// A refusal for clients of model vendors. The SDKs of OpenAI and Anthropic both read this shape.
import type { Problem } from '@gantry/contract/problems.ts';
import { rateHeaders, type RatesLeft } from '../answer/rate-headers.ts';
import type { Reply } from '../answer/reply.ts';

const types: Record<number, string> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
};

interface ModelFields {
  upstream_status?: number;
  rates?: RatesLeft;
}

export function modelProblemReply(problem: Problem, request_id: string): Reply {
  const { code, retry_after_seconds } = problem;
  const { rates = {}, ...fields }: ModelFields = problem.fields;
  const shown = statusForClient(problem);
  const type = types[shown] ?? (shown >= 500 ? 'api_error' : 'invalid_request_error');
  return {
    status: shown,
    headers: {
      'content-type': 'application/json',
      'x-request-id': request_id,
      // Anthropic's clients read this one.
      'request-id': request_id,
      ...rateHeaders(rates),
      ...(retry_after_seconds === undefined ? {} : { 'retry-after': String(retry_after_seconds) }),
      ...(staysSo(problem) && { 'x-should-retry': 'false' }),
    },
    body: JSON.stringify({
      type: 'error',
      error: {
        type,
        code: code === 'unauthenticated' ? 'invalid_api_key' : code,
        message: modelMessage(problem),
        param: null,
        ...fields,
      },
      request_id,
    }),
  };
}

/** Their clients repeat a 409, a 429 and a 5xx. A spent budget stays spent, and the run of an agent that may have begun is not to begin again. */
function staysSo({ code, fields: { run_status } }: Problem): boolean {
  if (run_status !== undefined) return run_status !== 'not_begun';
  return ['budget_exceeded', 'agent_error', 'cancelled'].includes(code);
}

/** A provider's refusal keeps its status. The vendors answer an invalid request with 400, for which their clients have an error of its own. */
export function statusForClient({ code, status, fields }: Problem): number {
  const { upstream_status }: ModelFields = fields;
  return upstream_status ?? (code === 'invalid' ? 400 : status);
}

/** Their clients show one text. */
export function modelMessage({ detail, errors, hint }: Problem): string {
  return [detail, ...errors.map((error) => `${error.pointer ?? ''} ${error.message}`.trim()), hint ?? []]
    .flat()
    .join(' ');
}
