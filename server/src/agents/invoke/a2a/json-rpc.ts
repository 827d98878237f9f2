// The protocol by JSON-RPC 2.0. Its own refusals are answers with status 200. A refusal that every call can get has its HTTP status.
import { z } from 'zod';
import { parseJson } from '../../../governance/http/request/body.ts';
import { jsonReply, type Reply } from '../../../governance/http/answer/reply.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { A2aError, rpcError } from './a2a-error.ts';
import { taskStream } from './task-stream.ts';
import { isStream, methods, type MethodName } from './methods.ts';
import type { Asked } from './own-task.ts';
import type { TaskHost } from './task-host.ts';
import { readVersion } from './version.ts';
import { version03 } from './version-0-3.ts';

const id = z.union([z.string().max(200), z.number(), z.null()]);
const request = z.object({
  jsonrpc: z.literal('2.0'),
  id,
  method: z.string().max(100),
  params: z.unknown().optional(),
});

/** How one version names the methods, their parameters and their results. */
export interface Speech {
  methodOf: (name: string) => MethodName | undefined;
  read: (params: unknown) => unknown;
  print: (result: object) => object;
  /** The refusal of another name. */
  unknown: string;
}

const version10: Speech = {
  methodOf: (name) => (Object.hasOwn(methods, name) ? (name as MethodName) : undefined), // its own member
  read: (params) => params,
  print: (result) => result,
  unknown: 'A2A 1.0 has no such method.',
};
const speeches = { '1.0': version10, '0.3': version03 };

export async function answerRpc(host: TaskHost, asked: Asked, body: Uint8Array): Promise<Reply> {
  const around: { jsonrpc: '2.0'; id: z.output<typeof id> } = { jsonrpc: '2.0', id: null };
  try {
    const said = readBody(body);
    around.id = z.object({ id }).safeParse(said).data?.id ?? null;
    const read = request.safeParse(said);
    if (!read.success) throw new A2aError('INVALID_REQUEST');
    const { method, params } = read.data;
    const speech = speeches[readVersion(asked.headers)];
    const known = speech.methodOf(method);
    if (known === undefined) throw new A2aError('METHOD_NOT_FOUND', speech.unknown);
    const result = await methods[known](host, asked, speech.read(params));
    if (isStream(result))
      return taskStream(result, {
        event: (event) => ({ ...around, result: speech.print(event) }),
        error: (error) => ({ ...around, error: rpcError(error) }),
      });
    return jsonReply({ ...around, result: speech.print(result) });
  } catch (error) {
    if (error instanceof A2aError) return jsonReply({ ...around, error: rpcError(error) });
    throw error;
  }
}

function readBody(body: Uint8Array): unknown {
  try {
    return parseJson(body);
  } catch (error) {
    if (error instanceof Problem) throw new A2aError('PARSE_ERROR', error.detail);
    throw error;
  }
}
