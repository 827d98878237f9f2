// Who a client is. A registered one is what it said of itself. A client whose id is an address is what the document there says, so its host is known: nobody
// else can write that document. Must never happen: a request to a private address, a followed redirect, or an answer without an end.
import { Problem } from '@gantry/contract/problems.ts';
import { z } from 'zod';
import { readAtMost } from '../../../ground/read-at-most.ts';
import { DestinationRefused, type Outbound } from '../../../ground/outbound/outbound.ts';
import type { ClientParts } from './parts.ts';
import * as store from './client-store.ts';

export interface Client {
  id: string;
  name: string;
  redirect_uris: readonly string[];
}

const most_bytes = 16 * 1024;
const answer_ms = 5000;

/** Throws `invalid_client`. */
export async function findClient({ db, outbound }: Pick<ClientParts, 'db' | 'outbound'>, id: string): Promise<Client> {
  const client = id.startsWith('https://') ? await readDocument(outbound, id) : await store.find(db, id);
  if (client === undefined)
    throw new Problem('invalid_client', {
      detail: 'No client with this id is registered here.',
      hint: 'The client must register again: a client that nobody allows is forgotten after a day.',
    });
  return client;
}

const document = z.object({
  client_id: z.string(),
  client_name: z.string().max(200).optional(),
  redirect_uris: z.array(z.string().max(2000)).min(1).max(20),
  token_endpoint_auth_method: z.literal('none').default('none'),
});

async function readDocument(outbound: Outbound, id: string): Promise<Client> {
  const url = URL.parse(id);
  // An address in another spelling would be another client.
  if (url === null || url.href !== id || url.pathname === '/' || url.hash !== '' || url.username !== '')
    throw refused('its id is not the plain address of a document.');
  const text = await fetchDocument(outbound, url);
  const { data } = document.safeParse(parsed(text));
  if (data === undefined) throw refused('its document is not one of a public client.');
  if (data.client_id !== id) throw refused('its document names another client.');
  return { id, name: data.client_name ?? url.hostname, redirect_uris: data.redirect_uris };
}

async function fetchDocument(outbound: Outbound, url: URL): Promise<string> {
  try {
    const answer = await outbound.request(url.href, {
      method: 'GET',
      headers: { accept: 'application/json' },
      body: null,
      signal: AbortSignal.timeout(answer_ms),
      headersTimeout: answer_ms,
      bodyTimeout: answer_ms,
    });
    if (answer.statusCode !== 200) {
      answer.body.on('error', () => undefined).destroy();
      throw refused('there is no document at its address.');
    }
    return (await readAtMost(answer.body, most_bytes, tooLong)).toString();
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw refused(error instanceof DestinationRefused ? error.message : 'its document cannot be read.');
  }
}

const tooLong = () => refused(`its document has more than ${most_bytes / 1024} kB.`);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refused(fault: string): Problem {
  return new Problem('invalid_client', { detail: `The client is refused: ${fault}` });
}
