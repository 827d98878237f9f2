// A stand-in for model vendors, by others: it speaks their formats, and keeps a journal of every request that it got.
import { LLMock } from '@copilotkit/aimock';

export interface ModelUpstream {
  mock: LLMock;
  /** As `host:port`, for OUTBOUND_PRIVATE_HOSTS. */
  host: string;
  /** OpenAI's formats. */
  base_url: string;
  stop(): Promise<void>;
}

/** Answers every message, with this usage. */
export async function modelUpstream(
  usage = { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 },
  timing: { latency?: number } = {},
): Promise<ModelUpstream> {
  const mock = new LLMock({ port: 0, host: '127.0.0.1' });
  mock.onMessage(/./s, { content: 'The capital of France is Paris.', usage }, timing);
  const url = await mock.start();
  return { mock, host: new URL(url).host, base_url: `${url}/v1`, stop: async () => await mock.stop() };
}
