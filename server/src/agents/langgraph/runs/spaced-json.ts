import { Problem } from '@gantry/contract/problems.ts';
import { within } from '../../../ground/within.ts';

const keepalive_ms = 15_000;

/** White space before JSON keeps the connection open, and no parser sees it. */
export async function* spacedJson(value: Promise<unknown>, stopping: AbortSignal): AsyncGenerator<string> {
  const ended = value.then((of) => ({ of }));
  ended.catch(() => {}); // it is thrown below
  for (;;) {
    const end = await within(keepalive_ms, ended, stopping);
    if (stopping.aborted) throw new Problem('starting', { detail: 'The service is stopping.' });
    if (end !== undefined) {
      yield JSON.stringify(end.of);
      return;
    }
    yield '\n';
  }
}
