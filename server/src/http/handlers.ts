// What a feature's routes.ts hands to the server: for every endpoint one function from parsed parts to the answer.
import type { Answer, Parts } from '@gantry/contract/endpoint.ts';
import type { EndpointName, Endpoints } from '@gantry/contract/endpoints.ts';
import type { Caller } from '../access/caller.ts';

export type Call<N extends EndpointName> = Parts<Endpoints[N]> & {
  caller: Caller;
  /** The request as it came, for the few that stream or need a header. */
  request: Request;
  /** Ends when the client goes away or the service stops. */
  signal: AbortSignal;
} & (Endpoints[N] extends { body: 'raw' } ? LateBody : object) &
  (Endpoints[N] extends { body: 'archive' } ? Pick<LateBody, 'callerNow'> : object) &
  (Endpoints[N]['reply'] extends { kind: 'events' } ? Pick<LateBody, 'callerNow'> : object);

/** For handlers that read the body by themselves, and act on it at once; and for answers that go on for long. */
export interface LateBody {
  /** The whole body; throws `too_large` past so many bytes. */
  readBytes: (most_bytes: number) => Promise<Buffer>;
  /** The caller as they stand by now; throws when they may not ask any more. */
  callerNow: () => Promise<Caller>;
}

export type Handler<N extends EndpointName> = (call: Call<N>) => Promise<Answer<Endpoints[N]>>;

/** The endpoints whose names start with one of these nouns: `Handlers<'approvals'>`. */
export type Handlers<Noun extends string> = { [N in Extract<EndpointName, `${Noun}.${string}`>]: Handler<N> };
