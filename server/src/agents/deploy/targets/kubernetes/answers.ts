// What a cluster answers when it does not do as asked, as problems with its own words.
import type { IncomingMessage } from 'node:http';
import { Problem } from '@gantry/contract/problems.ts';
import { unlessAborted } from '../../../../assets/docker/client.ts';
import { readAtMost } from '../../../../ground/read-at-most.ts';

class Missing extends Error {}

/** Undefined for an object that the cluster does not have. */
export async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Missing) return undefined;
    throw error;
  }
}

/** Throws `engine_unavailable` without an answer or without the right to it, and `start_failed` for what the cluster refuses. */
export async function answered<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    return await unlessAborted(work, signal);
  } catch (error) {
    if (signal?.aborted === true || error instanceof Problem || !(error instanceof Error)) throw error;
    throw 'code' in error && typeof error.code === 'number'
      ? refused(error.code, messageOf('body' in error ? error.body : undefined))
      : unanswered(error);
  }
}

const most_bytes = 100_000;

/** The refusal in an answer whose body is not what was asked for. */
export async function refusalIn(answer: IncomingMessage): Promise<never> {
  const body = await readAtMost(answer, most_bytes, () => new Error('the refusal of the cluster is too long'));
  throw Object.assign(new Error('the cluster refused'), { code: answer.statusCode ?? 0, body: body.toString() });
}

function refused(code: number, message: string): Error {
  // Without its namespace, nothing is as it should be.
  if (code === 404 && !message.startsWith('namespaces ')) return new Missing(message);
  if (code === 401)
    return new Problem('engine_unavailable', {
      detail: 'The cluster does not accept the credential of the target.',
      hint: 'A platform admin sets another one: svc target credential',
    });
  if ([400, 409, 413, 422].includes(code))
    return new Problem('start_failed', { detail: `The cluster refuses it: ${message}` });
  return new Problem('engine_unavailable', { detail: `The cluster answers ${code}: ${message}` });
}

const most_characters = 1000;

function messageOf(body: unknown): string {
  const said = typeof body === 'string' ? parsed(body) : body;
  const message =
    typeof said === 'object' && said !== null && 'message' in said && typeof said.message === 'string'
      ? said.message
      : 'without a reason';
  return message.slice(0, most_characters);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { message: text };
  }
}

/** Any other error than one of the connection is a fault of the service. */
function unanswered(error: Error): Error {
  const cause = error.cause instanceof Error ? error.cause : error;
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
  const reason = error.name === 'TimeoutError' ? 'no answer in time' : code;
  if (reason === undefined) return error;
  return new Problem('engine_unavailable', { detail: `The API server of the cluster does not answer (${reason})` });
}
