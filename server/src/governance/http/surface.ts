// The differences between kinds of endpoints. Each endpoint names its surface. The shared parts are in mount.ts: request id, log line,
// record of refusals, security headers, order of the checks.
import type { SurfaceName } from '@gantry/contract/endpoint.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { AgentCaller, KeyCaller, SignedInCaller } from '../access/caller.ts';
import type { RoleName } from '../../ground/config/config.ts';
import { a2aProblemReply } from './refusals/a2a-problem-reply.ts';
import { googleProblemReply } from './refusals/google-problem-reply.ts';
import { modelProblemReply } from './refusals/model-problem-reply.ts';
import { oauthProblemReply } from './refusals/oauth-problem-reply.ts';
import { ollamaProblemReply } from './refusals/ollama-problem-reply.ts';
import { problemReply } from './refusals/problem-reply.ts';
import type { Reply } from './answer/reply.ts';
import type { Sender } from './request/session-cookie.ts';

export interface Surface {
  /** The role that serves its endpoints; absent for one that each process serves. */
  role?: RoleName;
  /** The first way that a request uses identifies its caller. */
  ways: readonly (keyof Ways)[];
  /** A request that uses two of them is refused: they can prove two callers. */
  takes_one_way?: true;
  /** The limit of a body that is read whole before its handler runs. */
  max_body_bytes: number;
  /** Bodies up to `max_body_bytes` also of senders whom nothing identifies before. They are read at the pace of an address. */
  takes_large_of_anyone?: true;
  /** Its requests work in places (work-places.ts). A probe answers beside any flood from its address. */
  has_places: boolean;
  /** Pages of the sites in the setting browser_origins may call it. Only a surface without cookies. */
  takes_pages?: boolean;
  /** A page of any other site, and a name that is none of this service, is refused before the caller is known. */
  checks_sender?: boolean;
  /** A 401 or a lacking scope names the metadata of the address (RFC 9728). */
  says_where_to_sign_in?: boolean;
  printProblem: (problem: Problem, request_id: string) => Reply;
}

/** The ways in which a request can identify its caller. A listener has some of them; a proof for another one counts as none. */
export interface Ways {
  bearer: Way;
  /** The same, or the token of a client that a person has allowed this address. */
  client: Way;
  /** The session of a browser. */
  cookie: Way;
  /** A gateway key, as clients of OpenAI send it. */
  key: Way;
  /** A gateway key, as clients of Anthropic send it. */
  x_api_key: Way;
  /** A gateway key, as clients of Gemini send it. */
  x_goog_api_key: Way;
  /** The gateway key of an agent's revision, and the token of a run. Only at the door of the agents. */
  agent: Way;
  /** The same, also while the deploy starts the agent. */
  starting_agent: Way;
}

export interface Way {
  isUsed: (sender: Sender) => boolean;
  /** Throws `unauthenticated` when the proof is invalid. */
  authenticate: (sender: Sender) => Promise<SignedInCaller | KeyCaller | AgentCaller>;
}

const mebibyte = 1024 * 1024;

/** The first of the surface's ways that the request uses, among those of the listener. */
export const usedWay = (has: Partial<Ways>, surface: Surface, sender: Sender): Way | undefined =>
  usedWays(has, surface, sender)[0];

/** Throws `unauthenticated` for no way, and for two where the surface takes one. */
export function requireWay(has: Partial<Ways>, surface: Surface, sender: Sender): Way {
  const [way, other] = usedWays(has, surface, sender);
  if (way === undefined) throw new Problem('unauthenticated');
  if (surface.takes_one_way === true && other !== undefined)
    throw new Problem('unauthenticated', {
      detail: 'The request has a token in `authorization` and a key in `x-api-key`.',
      hint: 'Send one of them. An SDK reads a key from LANGGRAPH_API_KEY, unless its `api_key` is null.',
    });
  return way;
}

const usedWays = (has: Partial<Ways>, { ways }: Surface, sender: Sender) =>
  ways.flatMap((name) => has[name] ?? []).filter(({ isUsed }) => isUsed(sender));

export const surfaces: Readonly<Record<SurfaceName, Surface>> = {
  api: {
    role: 'api',
    ways: ['cookie', 'bearer'],
    max_body_bytes: mebibyte,
    has_places: true,
    printProblem: problemReply,
  },
  // The same as the wrapper's default.
  ingress: {
    role: 'ingress',
    ways: ['cookie', 'bearer'],
    max_body_bytes: 10 * mebibyte,
    has_places: true,
    printProblem: problemReply,
  },
  a2a: {
    role: 'ingress',
    ways: ['cookie', 'bearer', 'agent'],
    max_body_bytes: 10 * mebibyte,
    has_places: true,
    printProblem: a2aProblemReply,
  },
  // Programs and pages of other sites: no cookie counts here.
  langgraph: {
    role: 'ingress',
    ways: ['x_api_key', 'bearer'],
    takes_one_way: true,
    max_body_bytes: 10 * mebibyte,
    has_places: true,
    takes_pages: true,
    printProblem: problemReply,
  },
  // An image lies in the request as text.
  gateway: {
    role: 'gateway',
    ways: ['x_api_key', 'key'],
    max_body_bytes: 20 * mebibyte,
    has_places: true,
    printProblem: modelProblemReply,
  },
  gemini: {
    role: 'gateway',
    ways: ['x_goog_api_key', 'key'],
    max_body_bytes: 20 * mebibyte,
    has_places: true,
    printProblem: googleProblemReply,
  },
  ollama: {
    role: 'gateway',
    ways: ['key'],
    max_body_bytes: 20 * mebibyte,
    has_places: true,
    printProblem: ollamaProblemReply,
  },
  // The most of one state, and what is written beside it.
  memory: {
    role: 'ingress',
    ways: ['agent'],
    max_body_bytes: 64 * mebibyte,
    has_places: true,
    printProblem: problemReply,
  },
  // An agent also reads them while it is started.
  prompts: {
    role: 'ingress',
    ways: ['starting_agent'],
    max_body_bytes: mebibyte,
    has_places: true,
    printProblem: problemReply,
  },
  // The arguments of a call, and what is written beside them. Programs and pages of other sites: no cookie counts here.
  mcp: {
    role: 'ingress',
    ways: ['starting_agent', 'x_api_key', 'client'],
    takes_one_way: true,
    max_body_bytes: mebibyte,
    has_places: true,
    takes_pages: true,
    checks_sender: true,
    says_where_to_sign_in: true,
    printProblem: problemReply,
  },
  // No cookie and no token counts: what is sent proves itself.
  oauth: {
    role: 'api',
    ways: [],
    max_body_bytes: 64 * 1024,
    has_places: true,
    takes_pages: true,
    printProblem: oauthProblemReply,
  },
  // No cookie and no token counts: what is sent proves itself. A push of many commits is long.
  hooks: {
    role: 'api',
    ways: [],
    max_body_bytes: mebibyte,
    takes_large_of_anyone: true,
    has_places: true,
    printProblem: problemReply,
  },
  probes: { ways: [], max_body_bytes: 0, has_places: false, printProblem: problemReply },
};
