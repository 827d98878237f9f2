// Each request gets the credential of this moment. Must never happen: an answer or an error in which the other side sends it back to the agent.
import { extractWWWAuthenticateParams } from '@modelcontextprotocol/client';
import type { Fetch } from './outbound-fetch.ts';

export interface Credential {
  /** Undefined: none is sent. */
  present: () => Promise<string | undefined>;
  /** After the server has refused this one. Undefined: there is no other. */
  next?: (refused: string) => Promise<string>;
  /** The server wants these scopes too. Throws when the person can allow them. */
  widen?: (scope: string) => Promise<void>;
}

export function authorizedFetch(
  fetch: Fetch,
  { present, next, widen }: Credential,
): { fetch: Fetch; conceal: (text: string) => string } {
  const sent = new Set<string>();
  const send = async (url: string | URL, init: RequestInit, credential: string | undefined) => {
    const headers = new Headers(init.headers);
    if (credential !== undefined) {
      sent.add(credential);
      headers.set('authorization', `Bearer ${credential}`);
      if (sent.size > most_sent) sent.delete([...sent][0] ?? '');
    }
    return await fetch(url, { ...init, headers });
  };
  return {
    fetch: async (url, init = {}) => {
      const credential = await present();
      const answer = await send(url, init, credential);
      if (answer.status === 403 && credential !== undefined)
        await widen?.(lackingScope(answer)).catch(async (refusal: unknown) => {
          await answer.body?.cancel();
          throw refusal;
        });
      if (answer.status !== 401 || credential === undefined || next === undefined) return answer;
      await answer.body?.cancel();
      return await send(url, init, await next(credential));
    },
    conceal: (text) => [...sent].reduce((left, credential) => without(left, credential), text),
  };
}

/** RFC 6750, section 3.1. Empty for another reason. */
function lackingScope(answer: Response): string {
  const { error, scope = '' } = extractWWWAuthenticateParams(answer);
  return error === 'insufficient_scope' ? scope : '';
}

/** A token of a call is worthless after a minute, so the newest ones are enough. */
const most_sent = 100;
/** A shorter one would hide parts of words. */
const shortest = 8;

function without(text: string, credential: string): string {
  if (credential.length < shortest) return text;
  // As it stands in JSON too.
  return [credential, JSON.stringify(credential).slice(1, -1)].reduce(
    (left, one) => left.replaceAll(one, '[credential]'),
    text,
  );
}
