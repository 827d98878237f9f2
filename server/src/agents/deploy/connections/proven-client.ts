// One connection to an agent's container, for one request at a time. The container proves itself with the first request of the connection,
// and only then gets another one. A connection that ended is made anew only for a new proof.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Client, type buildConnector, type Dispatcher } from 'undici';
import type { ServingAddress } from '../serving/serving.ts';

export interface ProvenAddress extends Pick<ServingAddress, 'instance_id' | 'secret' | 'reach'> {
  url: string;
}

/** The server at a container's address did not prove to be that container. */
export class Unproven extends Error {}

/** No proven connection was made, so the instance has not got the request. */
export class NotConnected extends Error {}

// A container with little processor time may prove itself slowly. A hanging one never answers.
const proof_ms = 10_000;

export class ProvenClient extends Client {
  readonly #address: ProvenAddress;
  readonly #gate: Gate;
  #state: 'new' | 'proving' | 'proven' = 'new';
  #waiting: (() => void)[] = [];

  constructor(address: ProvenAddress, options: Client.Options & { connect: buildConnector.connector }) {
    const gate = closedGate(options.connect);
    super(new URL(address.url).origin, { ...options, pipelining: 1, connect: gate.connect });
    this.#address = address;
    this.#gate = gate;
    this.on('disconnect', () => {
      if (this.#state === 'proven') this.#state = 'new';
    });
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (this.#state === 'proven' && this.stats.connected) return super.dispatch(options, handler);
    this.#waiting.push(() => super.dispatch(options, handler));
    if (this.#state !== 'proving') void this.#prove();
    return false;
  }

  /** Never rejects. After a failure no connection can be made, so what waits fails with the reason. */
  async #prove(): Promise<void> {
    this.#state = 'proving';
    const challenge = randomBytes(32).toString('hex');
    try {
      const { headers } = await this.#address.reach();
      this.#gate.open();
      super.dispatch(
        {
          method: 'GET',
          path: `${new URL(this.#address.url).pathname.replace(/\/$/, '')}/identity`,
          headers: { ...headers, 'x-svc-challenge': challenge },
          headersTimeout: proof_ms,
          bodyTimeout: proof_ms,
        },
        {
          // With it, undici takes the rest as its present kind of handler.
          onRequestStart: () => {},
          onResponseStart: (controller, status, said) => {
            if (!isProof(status, said, this.#address.secret, challenge)) controller.abort(new Unproven());
          },
          onResponseEnd: () => this.#end('proven'),
          onResponseError: (_, error) => this.#fail(error),
        },
      );
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #fail(cause: Error): void {
    this.#gate.close(cause instanceof NotConnected ? cause : new NotConnected(cause.message, { cause }));
    this.#end('new');
  }

  // In the same turn, so that no other request comes between.
  #end(state: 'new' | 'proven'): void {
    this.#state = state;
    for (const send of this.#waiting.splice(0)) send();
  }
}

interface Gate {
  connect: buildConnector.connector;
  /** For one connection. */
  open(): void;
  close(reason: NotConnected): void;
}

function closedGate(connect: buildConnector.connector): Gate {
  let isOpen = false;
  let reason = new NotConnected('the connection has ended');
  return {
    connect: (options, done) => {
      if (!isOpen) return done(reason, null);
      isOpen = false;
      connect(options, (...[error, socket]) => {
        if (error === null) done(null, socket);
        else done(new NotConnected(error.message, { cause: error }), null);
      });
    },
    open: () => {
      isOpen = true;
      reason = new NotConnected('the connection has ended');
    },
    close: (why) => {
      isOpen = false;
      reason = why;
    },
  };
}

function isProof(status: number, headers: IncomingHttpHeaders, secret: string, challenge: string): boolean {
  const given = headers['x-svc-proof'];
  // The prefix makes the signature useless for any other purpose.
  const expected = createHmac('sha256', secret).update(`svc-identity:${challenge}`).digest();
  return (
    status === 204 &&
    typeof given === 'string' &&
    /^[0-9a-f]{64}$/.test(given) &&
    timingSafeEqual(Buffer.from(given, 'hex'), expected)
  );
}
