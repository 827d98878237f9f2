import type { Answer } from '@gantry/contract/endpoint.ts';
import type { Endpoints } from '@gantry/contract/endpoints.ts';

/** A model reads all of it. */
const most_characters = 64 * 1024;

/** The newest lines that fit. */
export async function recentLines(
  events: Answer<Endpoints['agents.logs']>,
): Promise<{ lines: string[]; left_out: number }> {
  const lines: string[] = [];
  for await (const { data } of events) lines.push(JSON.stringify(data));
  let characters = 0;
  const first = lines.findLastIndex((line) => (characters += line.length) > most_characters);
  return { lines: lines.slice(first + 1), left_out: first + 1 };
}
