// What a feature's routes.ts hands to the server: for every endpoint one function from parsed parts to the answer.
import type { Answer, Endpoint, Parts, SurfaceName } from '@gantry/contract/endpoint.ts';
import type { EndpointName, Endpoints } from '@gantry/contract/endpoints.ts';
import type { Caller } from '../access/caller.ts';
import type { Reply } from './reply.ts';
import type { RequestHeaders } from './request-headers.ts';

export type Call<N extends EndpointName> = Parts<Endpoints[N]> & {
  caller: Caller;
  /** As they came, for the few that need one. */
  headers: RequestHeaders;
  /** Ends when the client goes away or the service stops. */
  signal: AbortSignal;
} & (Endpoints[N] extends { body: 'archive' } | { reply: { kind: 'events' } } ? CallerNow : object);

/** For handlers that read the body by themselves, and for answers that go on for long. */
interface CallerNow {
  /** The caller as they stand by now; throws when they may not ask any more. */
  callerNow: () => Promise<Caller>;
}

type Handler<N extends EndpointName> = (call: Call<N>) => Promise<Answered<Endpoints[N]>>;

type Answered<E extends Endpoint> = E['reply'] extends { kind: 'raw' } ? Reply : Answer<E>;

/** The endpoints whose names start with one of these nouns: `Handlers<'approvals'>`. */
export type Handlers<Noun extends string> = { [N in Extract<EndpointName, `${Noun}.${string}`>]: Handler<N> };

export type AllHandlers = { [N in EndpointName]: Handler<N> };

/** The endpoints of one surface. */
export type SurfaceHandlers<S extends SurfaceName> = {
  [N in EndpointName as SurfaceOf<Endpoints[N]> extends S ? N : never]: Handler<N>;
};

type SurfaceOf<E> = E extends { surface: infer S } ? S : 'api';
