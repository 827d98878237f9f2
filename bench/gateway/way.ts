// A way to the model: through a gateway, or directly.

/** The models of the mock: one answers at once, the other after 50 ms. */
export type ModelName = 'm' | 'slow';

export interface Way {
  urls: readonly string[];
  path(model: ModelName): string;
  headers(model: ModelName): Record<string, string>;
  /** Its processes, with all that they start. */
  pids: readonly number[];
}

const prompt = 'Summarise the following text in three words. '.repeat(20);

export function bodyOf(model: ModelName, { stream = false }: { stream?: boolean } = {}): string {
  return JSON.stringify({ model, messages: [{ role: 'user', content: prompt }], max_tokens: 100, stream });
}

/** What a call costs at these prices per million tokens, by the usage that the mock reports. */
export const price = { input: '0.15', output: '0.60' };
export const nano_of_call = 590 * 150 + 10 * 600;
