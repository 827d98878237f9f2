// What the approval gate promises, in as few words as it takes: one agent, its versions and its requests, without a database. The test beside
// the real thing holds both to the same answers.

export const actors = ['ada', 'dora', 'max', 'root'] as const; // owner and contributor, deployer, admin of the team, platform admin
export type Actor = (typeof actors)[number];
export type Command =
  /** Without a digest it is content that was never there. */
  | { do: 'push'; actor: Actor; digest?: number }
  | { do: 'submit'; actor: Actor }
  | { do: 'approve' | 'reject' | 'withdraw' | 'revoke'; actor: Actor; request: number }
  | { do: 'deploy'; actor: Actor; version: number }
  | { do: 'age' | 'sweep' }
  /** Whether the admin of the team is one, or a contributor. */
  | { do: 'rank'; is_admin: boolean }
  | { do: 'set'; required: number; bound: boolean };
export type Status = 'pending' | 'approved' | 'rejected' | 'withdrawn' | 'superseded' | 'expired' | 'revoked';

export interface State {
  versions: { digest: number; final: boolean; authors: Actor[] }[];
  requests: { version: number; digest: number; by: Actor; status: Status; votes: Actor[] }[];
  required: number;
  bound: boolean;
  demoted: boolean;
  digests: number;
}

export function initial({ required, bound }: Pick<State, 'required' | 'bound'>): State {
  return {
    versions: [{ digest: 0, final: false, authors: ['ada'] }],
    requests: [],
    required,
    bound,
    demoted: false,
    digests: 1,
  };
}

/** Changes the state and says what the caller is told. Numbers of requests and versions count back from the newest. */
export function apply(state: State, command: Command): string {
  const { versions, requests } = state;
  const latest = versions.length - 1;
  const isAdmin = (actor: Actor) => actor === 'root' || (actor === 'max' && !state.demoted);
  const request = 'request' in command ? requests.at(-1 - command.request) : undefined;
  if ('request' in command && request === undefined) return 'nothing';
  const pending = requests.find(({ status }) => status === 'pending');
  const about = (version: number, status: Status) =>
    requests.findIndex(
      (one) => one.version === version && one.digest === versions[version]?.digest && one.status === status,
    );
  switch (command.do) {
    case 'push': {
      if (command.actor === 'dora') return 'forbidden';
      const digest = command.digest ?? state.digests++;
      const version = versions[latest];
      if (version?.digest === digest) return 'pushed';
      if (version === undefined || version.final) versions.push({ digest, final: false, authors: [command.actor] });
      else Object.assign(version, { digest, authors: [...version.authors, command.actor] });
      return 'pushed';
    }
    case 'submit': {
      // A contributor without a permission of their own does not write what is somebody else's.
      if (command.actor === 'dora' || (command.actor === 'max' && state.demoted)) return 'forbidden';
      if (about(latest, 'pending') >= 0) return `request ${about(latest, 'pending')}`;
      if (about(latest, 'approved') >= 0) return 'conflict';
      if (pending !== undefined) pending.status = 'superseded';
      const digest = versions[latest]?.digest ?? 0;
      return `request ${requests.push({ version: latest, digest, by: command.actor, status: 'pending', votes: [] }) - 1}`;
    }
    case 'approve':
    case 'reject': {
      const version = versions[request?.version ?? 0];
      if (request === undefined || version === undefined || !isAdmin(command.actor)) return 'forbidden';
      if (request.by === command.actor || version.authors.includes(command.actor)) return 'own_request';
      const wanted = command.do === 'approve' ? 'approved' : 'rejected';
      if (request.status !== 'pending')
        return request.status === wanted || request.status === 'superseded' ? request.status : 'already_decided';
      if (command.do === 'reject') return (request.status = 'rejected');
      if (version.digest !== request.digest) return 'superseded';
      request.votes = [...new Set([...request.votes, command.actor])];
      if (request.votes.filter((actor) => isAdmin(actor) && !version.authors.includes(actor)).length < state.required)
        return 'pending';
      version.final = true;
      return (request.status = 'approved');
    }
    case 'withdraw':
      if (request?.by !== command.actor) return 'forbidden';
      if (request.status === 'pending') request.status = 'withdrawn';
      return request.status === 'withdrawn' ? 'withdrawn' : 'already_decided';
    case 'revoke':
      if (request === undefined || !isAdmin(command.actor)) return 'forbidden';
      if (request.status === 'pending') return 'conflict';
      if (request.status === 'approved') request.status = 'revoked';
      return request.status === 'revoked' ? 'revoked' : 'already_decided';
    case 'deploy': {
      const version = latest - command.version;
      if (version < 0) return 'nothing';
      if (command.actor === 'ada' || (command.actor === 'max' && state.demoted)) return 'forbidden';
      if (about(version, 'approved') >= 0) return `approval ${about(version, 'approved')}`;
      return isAdmin(command.actor) && !state.bound ? 'bypassed' : 'approval_required';
    }
    case 'age':
      if (pending !== undefined) pending.status = 'expired';
      return 'done';
    case 'sweep':
      return 'done';
    case 'rank':
      state.demoted = !command.is_admin;
      return 'done';
    case 'set':
      Object.assign(state, { required: command.required, bound: command.bound });
      return 'done';
  }
}
