// Batches as newline-delimited JSON over HTTP. Any answer but 2xx means that they did not arrive. Each request is signed as in Standard
// Webhooks, so that a receiver can verify the sender.
import type { EntryLine } from '@gantry/contract/audit/audit-stream.ts';
import { printJsonLine } from '@gantry/contract/formats/json-lines.ts';
import { Agent, request } from 'undici';
import { signatureHeaders } from '../../../ground/signature-headers.ts';
import type { Receiver } from './receiver.ts';

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
        ...(signing_key === undefined ? {} : signatureHeaders({ id: batchId(entries), body }, [signing_key])),
      };
      const answer = await request(url, { dispatcher: agent, method: 'POST', headers, body, signal });
      await answer.body.dump();
      if (answer.statusCode < 200 || answer.statusCode > 299) throw new Error(`the answer was ${answer.statusCode}`);
    },
    close: async () => await agent.destroy(),
  };
}

// The same entries have the same id in every attempt.
function batchId(entries: readonly EntryLine[]): string {
  return `${entries[0]?.chain}-${entries[0]?.seq}-${entries.at(-1)?.seq}`;
}
