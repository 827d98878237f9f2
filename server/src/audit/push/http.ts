// Batches as newline-delimited JSON over HTTP: anything but 2xx means that they did not arrive. Signed as Standard Webhooks describe it, so
// that a receiver can tell them from what others send.
import { createHmac } from 'node:crypto';
import type { EntryLine } from '@gantry/contract/audit-stream.ts';
import { printJsonLine } from '@gantry/contract/json-lines.ts';
import { Agent, request } from 'undici';
import type { Receiver } from './destination.ts';

const connect_ms = 10_000;

export function httpReceiver({
  url,
  ca,
  token,
  signing_key,
}: {
  url: URL;
  ca?: string[] | undefined;
  token?: string | undefined;
  signing_key?: string | undefined;
}): Receiver {
  const agent = new Agent({ connections: 1, connect: { timeout: connect_ms, ...(ca === undefined ? {} : { ca }) } });
  return {
    send: async (entries, signal) => {
      const body = entries.map(printJsonLine).join('');
      const headers = {
        'content-type': 'application/x-ndjson',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(signing_key === undefined ? {} : signed(signing_key, entries, body)),
      };
      const answer = await request(url, { dispatcher: agent, method: 'POST', headers, body, signal });
      await answer.body.dump();
      if (answer.statusCode < 200 || answer.statusCode > 299) throw new Error(`it answered ${answer.statusCode}`);
    },
    close: async () => await agent.destroy(),
  };
}

// The same entries have the same id, however often they are sent.
function signed(signing_key: string, entries: readonly EntryLine[], body: string): Record<string, string> {
  const id = `${entries[0]?.chain}-${entries[0]?.seq}-${entries.at(-1)?.seq}`;
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', signing_key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
