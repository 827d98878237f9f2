import type { OutputLogEvent } from '@aws-sdk/client-cloudwatch-logs';
import { setTimeout as sleep } from 'node:timers/promises';
import { masked } from '../mask.ts';
import type { LogLine, LogQuery } from '../target.ts';
import { unlessNamed, type AwsClients } from './clients.ts';

export interface TaskLog {
  logs: AwsClients['logs'];
  group: string;
  stream: string;
  /** True when the task writes no more. */
  hasEnded: () => Promise<boolean>;
}

type Query = Omit<LogQuery, 'secrets'>;

/** An account has 25 reads a second for all logs of a region. */
const pause_ms = 1000;
/** CloudWatch gets the last lines a moment after the end of a task. */
const late_reads = 3;
const most_lines = 10_000;

/**
 * The lines of one task. CloudWatch does not keep which of its two outputs a line came from. A line of more than 1 MiB comes as several events,
 * and so does one of more than 16 KiB of a container: a secret across such a border is not masked.
 */
export async function* taskLogs(log: TaskLog, query: Query, values: readonly string[]): AsyncGenerator<LogLine> {
  const mask = masked(values);
  try {
    for await (const { timestamp = 0, message = '' } of events(log, query))
      yield { at: new Date(timestamp).toISOString(), stream: 'stdout', line: mask(message) };
  } catch (error) {
    // The reader has disconnected, and that ends a follow.
    if (!query.signal.aborted) throw error;
  }
}

async function* events(log: TaskLog, { follow = false, since, tail, signal }: Query): AsyncGenerator<OutputLogEvent> {
  const from = { ...(since !== undefined && { startTime: Date.parse(since) }) };
  let token: string | undefined;
  if (tail !== undefined) {
    const last = await read(log, { ...from, startFromHead: false, limit: clamp(tail) }, signal);
    if (tail > 0) yield* last?.events ?? [];
    token = last?.nextForwardToken;
    if (!follow) return;
  }
  for (let emptyReads = 0; ;) {
    const page = await read(
      log,
      { ...from, startFromHead: true, ...(token !== undefined && { nextToken: token }) },
      signal,
    );
    yield* page?.events ?? [];
    const isEnd = page === undefined || page.nextForwardToken === token;
    token = page?.nextForwardToken ?? token;
    if (!isEnd) emptyReads = 0;
    else if (!follow) return;
    else if (await log.hasEnded()) {
      if (++emptyReads > late_reads) return;
    }
    if (isEnd) await sleep(pause_ms, undefined, { signal });
  }
}

const clamp = (tail: number) => Math.min(Math.max(1, tail), most_lines);

type Read = Omit<Parameters<AwsClients['logs']['getLogEvents']>[0], 'logGroupName' | 'logStreamName'>;

/** Undefined while the task has no stream. */
async function read({ logs, group, stream }: TaskLog, query: Read, signal: AbortSignal) {
  const input = { logGroupName: group, logStreamName: stream, ...query };
  return await unlessNamed(['ResourceNotFoundException'], logs.getLogEvents(input, { abortSignal: signal }));
}
