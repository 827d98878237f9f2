import { expect, test } from 'vitest';
import { endpoints, type EndpointName } from '@gantry/contract/endpoints.ts';
import { printAnswer } from './answer.ts';

const line = { at: '2026-01-31T12:00:00.000Z', stream: 'stdout', line: 'x'.repeat(64_000), revision: '', instance: 1 };
const last = { kind: 'cursor', cursor: 'x'.repeat(64_000) };
const streams: EndpointName[] = ['agents.logs', 'audit.export'];

test.each(streams)(
  'a reader of %s who never reads stops the service from reading on, and one who leaves ends the stream',
  async (name) => {
    const read = { count: 0, ended: false };
    async function* endless() {
      try {
        for (;;) {
          read.count++;
          yield name === 'agents.logs' ? { data: line } : last;
        }
      } finally {
        read.ended = true;
      }
    }
    const answer = printAnswer(endpoints[name], endless(), {
      signal: new AbortController().signal,
      refuse: () => expect.unreachable('nothing is refused'),
    });
    const reader = (answer.body as AsyncGenerator<string>)[Symbol.asyncIterator](); // a stream
    for (let n = 0; n < 3; n++) await reader.next();
    const wanted = read.count;
    // Enough rounds for an unlimited stream to fill the memory.
    for (let n = 0; n < 2000; n++) await new Promise(setImmediate);
    expect(read.count - wanted).toBeLessThanOrEqual(wanted);
    expect(read.ended).toBe(false);
    await reader.return(undefined);
    expect(read.ended).toBe(true);
  },
);
