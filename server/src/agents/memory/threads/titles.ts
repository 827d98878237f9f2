// The first words of threads, for their list. A title is read from what its thread holds, and stored nowhere.
import { title_length } from '@gantry/contract/agents/threads.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Reader } from '../../../ground/database/database.ts';
import type { Envelope } from '../../../ground/envelope/envelope.ts';
import { openBlobs } from '../load-states.ts';
import * as stateStore from '../state-store.ts';
import type { BlobRow } from '../state-store.ts';

/** A list opens no more of one channel. A larger first message gives no title. */
const max_blob_bytes = 64 * 1024;

/** By the id of the thread. Threads without words have none, and so have damaged ones: their own page says what is damaged. */
export async function readTitles(
  { db, envelope }: { db: Reader; envelope: Envelope },
  thread_ids: readonly string[],
): Promise<Map<string, string>> {
  const states = await stateStore.firstStates(db, thread_ids);
  const blobs = Map.groupBy(await stateStore.findSmallBlobs(db, states, max_blob_bytes), ({ thread_id }) => thread_id);
  const titles = await Promise.all(
    [...blobs].map(async ([id, rows]) => [id, await readTitle(envelope, id, rows)] as const),
  );
  return new Map(titles.flatMap(([id, title]) => (title === undefined ? [] : [[id, title] as const])));
}

async function readTitle(envelope: Envelope, id: string, rows: readonly BlobRow[]): Promise<string | undefined> {
  try {
    const opened = await openBlobs(envelope, id, rows);
    return titleOf(opened.map(({ channel, view }) => [channel, readView(view)] as const));
  } catch (error) {
    if (error instanceof Problem && error.code === 'memory_damaged') return undefined;
    throw error;
  }
}

// The container has made it.
function readView(view: Buffer): unknown {
  if (view.length === 0) return undefined;
  try {
    return JSON.parse(view.toString());
  } catch {
    return undefined;
  }
}

/** What its user said first, else the plain values of its input. Undefined without any. */
export function titleOf(values: readonly (readonly [string, unknown])[]): string | undefined {
  const said = values.flatMap(([, value]) => (Array.isArray(value) ? value : []) as unknown[]).find(isOfUser);
  const words =
    said === undefined
      ? values
          .filter(([name]) => !name.includes(':') && !name.startsWith('__'))
          .toSorted(([one], [other]) => one.localeCompare(other))
          .flatMap(([name, value]) => (isPlain(value) ? [`${name} ${value}`] : []))
          .join(', ')
      : textOf(said.content);
  const line = words.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim();
  return line === '' ? undefined : cut(line);
}

function isOfUser(value: unknown): value is { content: unknown } {
  return typeof value === 'object' && value !== null && 'content' in value && 'role' in value && value.role === 'user';
}

const isPlain = (value: unknown): value is string | number | boolean =>
  typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && value !== '');

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts = Array.isArray(content) ? (content as unknown[]) : [];
  return parts
    .flatMap((part) => (typeof part === 'object' && part !== null && 'text' in part ? [String(part.text)] : []))
    .join(' ');
}

/** At whole characters. */
function cut(line: string): string {
  if (line.length <= title_length) return line;
  return `${line.slice(0, title_length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
