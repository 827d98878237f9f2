// The REST twins of the methods (section 11 of version 1.0). 0.3 has them at other paths, which are not served.
import { parseJson } from '../../../governance/http/request/body.ts';
import { jsonReply, type Reply } from '../../../governance/http/answer/reply.ts';
import { A2aError, restError, restRefusal } from './a2a-error.ts';
import { taskStream } from './task-stream.ts';
import { isStream, methods, type MethodName } from './methods.ts';
import type { Asked } from './own-task.ts';
import type { TaskHost } from './task-host.ts';
import { readVersion } from './version.ts';

export async function answerRest(
  host: TaskHost,
  asked: Asked,
  { method, params }: { method: MethodName; params: Uint8Array | object },
): Promise<Reply> {
  try {
    if (readVersion(asked.headers) !== '1.0')
      throw new A2aError(
        'VERSION_NOT_SUPPORTED',
        'Send the header A2A-Version: 1.0. These paths serve no other version.',
      );
    const result = await methods[method](host, asked, params instanceof Uint8Array ? parseJson(params) : params);
    if (isStream(result)) return taskStream(result, { event: (event) => event, error: restError });
    return jsonReply(result, 200, { 'content-type': 'application/a2a+json' });
  } catch (error) {
    if (error instanceof A2aError) return restRefusal(error);
    throw error;
  }
}
