// The environment of a command: its server, its user and team, and its questions to the user.
import type { CallOptions, Client, Send } from '@gantry/contract/client/client.ts';
import type { Answer } from '@gantry/contract/endpoint.ts';
import type { EndpointName, Endpoints } from '@gantry/contract/endpoints.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Config } from '../config.ts';
import { activeTeam } from './context.ts';
import type { Output } from '../output.ts';
import { createPrompt, type Prompt } from './prompt.ts';
import { serverAddress } from './server-address.ts';
import type { Exchange, FoundToken } from './tokens.ts';

export interface Session {
  readonly config: Config;
  readonly output: Output;
  readonly prompt: Prompt;
  /** Aborted by Ctrl-C, unless the command takes over with `onInterrupt`. */
  readonly signal: AbortSignal;
  /** The server's address without a final slash. */
  readonly server: string;
  /** The key of stored tokens and contexts. */
  readonly origin: string;
  /** The team of --team or of the context; undefined leaves it to the service (the primary team). */
  readonly team: string | undefined;
  readonly globals: GlobalFlags;
  token(): Promise<FoundToken | undefined>;
  /** As the signed-in user; refused here without a sign-in. */
  call<N extends EndpointName>(name: N, parts: Send<N>, options?: CallOptions): Promise<Answer<Endpoints[N]>>;
  /** With this token, or with none. Never with a team: the service refuses one before the first sign-in. */
  callWith<N extends EndpointName>(
    token: string | undefined,
    name: N,
    parts: Send<N>,
    options?: CallOptions,
  ): Promise<Answer<Endpoints[N]>>;
  /** After a bug: the service's last answer as its cause, when it is not as the contract says. */
  misunderstood(): Promise<Error | undefined>;
  /** Ctrl-C calls this instead of ending the command; dispose the result to end that. */
  onInterrupt(react: () => void): Disposable;
  /** The same session for another server, for the commands that start one. */
  against(server: string): Session;
}

export interface GlobalFlags {
  json: boolean;
  no_input: boolean;
  server: string | undefined;
  team: string | undefined;
}

export interface Interrupts {
  signal: AbortSignal;
  onInterrupt(react: () => void): Disposable;
}

export function createSession(parts: {
  config: Config;
  output: Output;
  globals: GlobalFlags;
  interrupts: Interrupts;
}): Session {
  const { config, output, globals, interrupts } = parts;
  const { url: server, guessed } = serverAddress(config, globals.server);
  const origin = new URL(server).origin;
  const team = globals.team ?? activeTeam(config, origin);
  let found: Promise<FoundToken | undefined> | undefined;
  let last: { name: EndpointName; answer: unknown } | undefined;

  const open = async (token: string | undefined, asTeam: string | undefined): Promise<Client> => {
    const { createClient } = await import('@gantry/contract/client/client.ts');
    return createClient({
      base_url: server,
      token: () => token,
      team: () => asTeam,
      onAudited: (entries) => output.audited(entries),
    });
  };
  const exchange: Exchange = async (key) =>
    await (await open(undefined, undefined)).call('auth.exchange_key', { body: { key } }, limited());
  const find = async (): Promise<FoundToken | undefined> =>
    await (await import('./tokens.ts')).findToken(config, origin, exchange);
  const limited = (options: CallOptions = {}): CallOptions => ({ signal: interrupts.signal, ...options });

  /** Signing in helps only where a service answers. */
  const notSignedIn = async (): Promise<never> => {
    const { refuseUnlessService } = await import('./is-service.ts');
    const client = await open(undefined, undefined);
    await refuseUnlessService({ client, server }, limited(), guessed ? config.data_directory : undefined);
    throw new Problem('unauthenticated', {
      detail: `You are not signed in to ${server}`,
      hint: 'Run `svc login`, or set SERVICE_API_TOKEN or SERVICE_API_KEY.',
    });
  };

  return {
    config,
    output,
    prompt: createPrompt(globals),
    signal: interrupts.signal,
    server,
    origin,
    team,
    globals,
    async token() {
      const kept = await (found ??= find());
      // Long work outlives the token of a key.
      if (kept?.good_until !== undefined && kept.good_until < Date.now()) found = find();
      return await found;
    },
    async call(name, request, options) {
      const { token, from } = (await this.token()) ?? (await notSignedIn());
      const client = await open(token, team);
      const answer = await client.call(name, request, limited(options)).catch((error: unknown) => {
        throw from === 'SERVICE_API_TOKEN' ? blameEnvironment(error) : error;
      });
      last = { name, answer };
      return answer;
    },
    async callWith(token, name, request, options) {
      const answer = await (await open(token, undefined)).call(name, request, limited(options));
      last = { name, answer };
      return answer;
    },
    async misunderstood() {
      if (last === undefined) return undefined;
      const { doesNotFit } = await import('./does-not-fit.ts');
      return doesNotFit(server, last.name, last.answer);
    },
    onInterrupt: (react) => interrupts.onInterrupt(react),
    against: (address) => createSession({ ...parts, globals: { ...globals, server: address } }),
  };
}

/** A token in the environment overrides every stored one, so `svc login` would not help. */
function blameEnvironment(error: unknown): unknown {
  if (!(error instanceof Problem) || error.code !== 'unauthenticated') return error;
  return new Problem('unauthenticated', {
    detail: 'The token in SERVICE_API_TOKEN is not accepted',
    hint: 'Set it to a valid one, or unset it and run `svc login`.',
    fields: error.fields,
  });
}
