// The promise of the approval gate as a small model: one agent, its versions and its requests, without a database. The test compares
// the model's answers with the real service's.

export const actors = ['ada', 'dora', 'max', 'root'] as const; // owner and contributor, deployer, admin of the team, platform admin
export type Actor = (typeof actors)[number];
export type Status = 'pending' | 'approved' | 'rejected' | 'withdrawn' | 'superseded' | 'expired' | 'revoked';
type OnRequest = { do: 'approve' | 'reject' | 'withdraw' | 'revoke'; actor: Actor; request: number };
export type Command =
  | { do: 'push'; actor: Actor; digest?: number } // without a digest the content is new
  | { do: 'submit'; actor: Actor }
  | { do: 'deploy'; actor: Actor; version: number }
  | { do: 'age' | 'sweep' }
  | { do: 'rank'; is_admin: boolean } // whether max is an admin of the team, or a contributor
  | { do: 'set'; required: number; bound: boolean }
  | OnRequest;

type Version = { digest: number; final: boolean; authors: Actor[] };
type Request = { version: Version; digest: number; by: Actor; status: Status; votes: Actor[] };
export interface State {
  versions: Version[];
  requests: Request[];
  required: number;
  bound: boolean;
  demoted: boolean;
  digests: number;
}

export function initial({ required, bound }: Pick<State, 'required' | 'bound'>): State {
  const versions: Version[] = [{ digest: 0, final: false, authors: ['ada'] }];
  return { versions, requests: [], required, bound, demoted: false, digests: 1 };
}

/** Changes the state and returns the caller's answer. Numbers of requests and versions count back from the newest. */
export function apply(state: State, command: Command): string {
  const { versions, requests } = state;
  const latest = versions.at(-1);
  const pending = requests.find(({ status }) => status === 'pending');
  const find = (of: Version, status: Status) =>
    requests.findIndex((one) => one.version === of && one.digest === of.digest && one.status === status);
  if (command.do === 'push') {
    const { actor, digest = state.digests++ } = command;
    if (latest?.digest === digest) return 'pushed';
    if (latest === undefined || latest.final) versions.push({ digest, final: false, authors: [actor] });
    else Object.assign(latest, { digest, authors: [...latest.authors, actor] });
    return 'pushed';
  }
  if (command.do === 'submit') {
    // A contributor without a permission of their own cannot write the assets of others.
    if (command.actor === 'dora' || isDemoted(state, command.actor) || latest === undefined) return 'forbidden';
    if (find(latest, 'pending') >= 0) return `request ${find(latest, 'pending')}`;
    if (find(latest, 'approved') >= 0) return 'conflict';
    if (pending !== undefined) pending.status = 'superseded';
    const { digest } = latest;
    return `request ${requests.push({ version: latest, digest, by: command.actor, status: 'pending', votes: [] }) - 1}`;
  }
  if (command.do === 'deploy') {
    const version = versions.at(-1 - command.version);
    if (version === undefined) return 'nothing';
    if (command.actor === 'ada' || isDemoted(state, command.actor)) return 'forbidden';
    if (find(version, 'approved') >= 0) return `approval ${find(version, 'approved')}`;
    return isAdmin(state, command.actor) && !state.bound ? 'bypassed' : 'approval_required';
  }
  if (command.do === 'age' && pending !== undefined) pending.status = 'expired';
  if (command.do === 'rank') state.demoted = !command.is_admin;
  if (command.do === 'set') Object.assign(state, { required: command.required, bound: command.bound });
  if (!('request' in command)) return 'done';
  const request = requests.at(-1 - command.request);
  return request === undefined ? 'nothing' : applyTo(state, request, command);
}

function applyTo(state: State, request: Request, { do: what, actor }: OnRequest): string {
  const { version } = request;
  const become = (to: Status, from: Status) => {
    if (request.status === from) request.status = to;
    return request.status === to ? to : 'already_decided';
  };
  if (what === 'withdraw') return request.by === actor ? become('withdrawn', 'pending') : 'forbidden';
  if (!isAdmin(state, actor)) return 'forbidden';
  if (what === 'revoke') return request.status === 'pending' ? 'conflict' : become('revoked', 'approved');
  if (request.by === actor || version.authors.includes(actor)) return 'own_request';
  if (request.status === 'superseded') return 'superseded';
  if (what === 'reject') return become('rejected', 'pending');
  if (request.status !== 'pending') return become('approved', 'approved');
  if (version.digest !== request.digest) return 'superseded';
  request.votes.push(actor);
  const counted = request.votes.filter((by) => isAdmin(state, by) && !version.authors.includes(by));
  if (new Set(counted).size < state.required) return 'pending';
  version.final = true;
  return become('approved', 'pending');
}

const isDemoted = (state: State, actor: Actor) => actor === 'max' && state.demoted;
const isAdmin = (state: State, actor: Actor) => actor === 'root' || (actor === 'max' && !state.demoted);
