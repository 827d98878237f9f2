import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { checkTexts } from '../../server/src/models/guardrails/json-texts.ts';
import type { Rule } from '../../server/src/models/guardrails/rule.ts';
import { invocationDocument } from '../../server/src/agents/invoke/streams/agui-events.ts';
import { guardedCall } from '../../server/src/testing/models/plain-rules.ts';

/** The document as it may go on to a model. Every text of it is read as a tool result, so that all rules run. */
export async function guard(rules: readonly Rule[], document: unknown): Promise<unknown> {
  const call = guardedCall(...rules);
  return await checkTexts(
    document,
    invocationDocument,
    async (texts) =>
      await call.check(
        'model_in',
        texts.map(({ text }) => ({ text, source: 'tool_result' })),
      ),
  );
}

/** Echoes JSON over HTTP, after the rules that the path names. */
export async function openExchange(
  rules: Readonly<Record<string, readonly Rule[]>>,
): Promise<{ send: (name: string, body: string) => Promise<void>; close: () => void }> {
  const server = createServer((request, response) => {
    const answer = async () => {
      const document = await json(request);
      const own = rules[request.url?.slice(1) ?? ''];
      response.end(JSON.stringify(own === undefined ? document : await guard(own, document)));
    };
    answer().catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    send: async (name, body) => {
      const answer = await fetch(`http://127.0.0.1:${address.port}/${name}`, { method: 'POST', body });
      await answer.arrayBuffer();
    },
    close: () => server.close(),
  };
}
