/** One answers at once, the other after 50 ms. */
export type ToolName = 'fast' | 'slow';

export const slow_ms = 50;
export const answer = 'Sun in Bern, and 21 degrees. '.repeat(10);
export const given = { city: 'Bern', days: 3, detail: 'Temperature, wind and rain. '.repeat(5) };

const inputSchema = {
  type: 'object' as const,
  properties: { city: { type: 'string' }, days: { type: 'integer' }, detail: { type: 'string' } },
  required: ['city'],
};

export const tools = [
  { name: 'fast', description: 'The weather of a city', inputSchema },
  { name: 'slow', description: 'The weather of a city, later', inputSchema },
] as const;
