import type { Send } from '@gantry/contract/client/client.ts';
import type { Answer } from '@gantry/contract/endpoint.ts';
import type { Endpoints } from '@gantry/contract/endpoints.ts';
import { suggestAgent } from '../agent/agent-name.ts';
import type { Session } from '../session/session.ts';
import { keepReading, type Reading } from './keep-reading.ts';

export interface LogsToRead extends Reading {
  name: string;
  query: Send<'agents.logs'>['query'];
}

type LogStream = Answer<Endpoints['agents.logs']>;
export type LogLine = LogStream extends AsyncIterable<{ data: infer Data }> ? Data : never;

/** An agent's output; with follow, across lost connections. */
export async function* readLogs(session: Session, { name, query, ...reading }: LogsToRead): AsyncGenerator<LogLine> {
  yield* keepReading<LogLine>(session, reading, async (options) =>
    suggestAgent(session, name, () => session.call('agents.logs', { params: { name }, query }, options)),
  );
}
