// A stand-in for model vendors, by others: it speaks their formats, and keeps a journal of every request that it got.
import { LLMock, type Mountable } from '@copilotkit/aimock';

export interface ModelUpstream {
  mock: LLMock;
  /** As `host:port`, for OUTBOUND_PRIVATE_HOSTS. */
  host: string;
  /** The address for each vendor's format but Gemini's. */
  base_url: string;
  /** In Gemini's format. */
  gemini_url: string;
  stop(): Promise<void>;
}

/** Answers every message, with this usage. A question to a model with tools calls `weather`, one about two cities twice. */
export async function modelUpstream(
  usage = { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 },
  { port = 0, ...timing }: { port?: number; latency?: number } = {},
): Promise<ModelUpstream> {
  const mock = new LLMock({ port, host: '127.0.0.1' });
  const weather = (city: string) => ({ name: 'weather', arguments: JSON.stringify({ city }) });
  mock.on(
    {
      predicate: ({ messages, tools = [] }) =>
        tools.length > 0 && JSON.stringify(messages.at(-1)?.content).includes('two cities'),
    },
    { toolCalls: [weather('Paris'), weather('Rome')], usage },
  );
  mock.on(
    { predicate: ({ messages, tools = [] }) => tools.length > 0 && messages.at(-1)?.role !== 'tool' },
    { toolCalls: [weather('Paris')], usage },
  );
  mock.onMessage(/./s, { content: 'The capital of France is Paris.', usage }, timing);
  // The stand-in does not know these.
  mock.mount('/v1/messages/count_tokens', answering({ input_tokens: 14 }));
  mock.mount('/v1beta/models/gemini-2.5-flash:countTokens', answering({ totalTokens: 14 }));
  const values = [0.1, 0.2, 0.3];
  mock.mount(
    '/v1beta/models/gemini-embedding-001:batchEmbedContents',
    answering({ embeddings: [{ values }, { values }] }),
  );
  mock.mount('/api/embed', answering({ embeddings: [values, values], prompt_eval_count: 2 }));
  const url = await mock.start();
  return {
    mock,
    host: new URL(url).host,
    base_url: `${url}/v1`,
    gemini_url: `${url}/v1beta`,
    stop: async () => await mock.stop(),
  };
}

function answering(answer: object): Mountable {
  return {
    handleRequest: async (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      return await Promise.resolve(true);
    },
  };
}
