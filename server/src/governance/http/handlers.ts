// The handlers in a feature's routes.ts: for every endpoint one function from parsed parts to the answer.
import type { Answer, Endpoint, Parts, SurfaceName } from '@gantry/contract/endpoint.ts';
import type { EndpointName, Endpoints } from '@gantry/contract/endpoints.ts';
import type { Caller } from '../access/caller.ts';
import type { TraceContext } from '../../ground/trace-context.ts';
import type { Reply } from './answer/reply.ts';
import type { RequestHeaders } from './request/request-headers.ts';
import type { SessionCookie } from './request/session-cookie.ts';
import type { Place } from './shares/work-places.ts';

export type Call<N extends EndpointName> = Parts<Endpoints[N]> & {
  caller: Caller;
  /** The raw headers, for the few handlers that need one. */
  headers: RequestHeaders;
  /** Ends when the client goes away or the service stops. */
  signal: AbortSignal;
  trace: TraceContext;
} & (Endpoints[N] extends { body: 'archive' | 'file' } | { reply: { kind: 'events' } } ? CallerNow : object) &
  (Endpoints[N] extends { operation: 'session.open' | 'session.revoke' } ? { cookie: SessionCookie } : object) &
  (Endpoints[N] extends { surface: 'gateway' | 'gemini' | 'ollama' } ? Pick<Place, 'whileWaiting'> : object);

/** For handlers that read the body themselves, and for long answers. */
interface CallerNow {
  /** The caller at this moment; throws when they may no longer ask. */
  callerNow: () => Promise<Caller>;
}

type Handler<N extends EndpointName> = (call: Call<N>) => Promise<Answered<Endpoints[N]>>;

type Answered<E extends Endpoint> = E['reply'] extends { kind: 'stream' | 'passed' } ? Reply : Answer<E>;

/** The endpoints whose names start with one of these nouns: `Handlers<'approvals'>`. */
export type Handlers<Noun extends string> = { [N in Extract<EndpointName, `${Noun}.${string}`>]: Handler<N> };

export type AllHandlers = { [N in EndpointName]: Handler<N> };

/** The endpoints of one surface. */
export type SurfaceHandlers<S extends SurfaceName> = {
  [N in EndpointName as SurfaceOf<Endpoints[N]> extends S ? N : never]: Handler<N>;
};

type SurfaceOf<E> = E extends { surface: infer S } ? S : 'api';
