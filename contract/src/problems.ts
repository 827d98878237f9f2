// Every refusal the service can answer with: a stable code, its HTTP status, what is wrong, and what to do about it.
// Clients match codes; the sentence and the hint are for people and may be made more precise by the one who raises it.

interface Refusal {
  status: number;
  title: string;
  hint?: string;
}

export const problems = {
  // The request itself
  malformed: { status: 400, title: 'The request cannot be read' },
  bad_cursor: { status: 400, title: 'This cursor does not belong to this list', hint: 'Start again without `cursor`.' },
  bad_reference: { status: 400, title: 'This is not an asset reference', hint: 'Write it as `agents/<name>`.' },
  invalid: { status: 422, title: 'The request does not match the schema' },
  too_large: { status: 413, title: 'The request is too large' },
  headers_too_large: { status: 431, title: 'The line and the headers of the request are over 16 KB' },
  request_timeout: { status: 408, title: 'The request did not arrive in time' },
  unsupported_media_type: { status: 415, title: 'This content type is not accepted here' },
  not_found: { status: 404, title: 'There is nothing here that you may read' },
  method_not_allowed: { status: 405, title: 'This method is not offered here' },
  rate_limited: { status: 429, title: 'Too many attempts', hint: 'Wait as long as Retry-After says.' },
  idempotency_conflict: { status: 409, title: 'This idempotency key was used already' },

  // Who is asking
  unauthenticated: { status: 401, title: 'Sign-in is needed', hint: 'Run `svc login`.' },
  bad_credentials: { status: 401, title: 'E-mail or password is wrong' },
  password_change_required: {
    status: 403,
    title: 'The password must be changed first',
    hint: 'Run `svc login` and choose a new password.',
  },
  forbidden: { status: 403, title: 'Your role does not allow this' },
  rbac_failed: { status: 403, title: 'RBAC check failed' },
  not_in_team: {
    status: 403,
    title: 'You are not in this team',
    hint: 'Run `svc context clear`, or pick one of your teams.',
  },
  weak_password: { status: 422, title: 'This password cannot be used' },
  wrong_password: { status: 422, title: 'The current password is wrong' },

  // What exists already
  conflict: { status: 409, title: 'This is in conflict with what is there' },
  exists: { status: 409, title: 'This name is taken' },
  in_use: {
    status: 409,
    title: 'Something else still needs this',
    hint: 'Change or remove what needs it first.',
  },
  last_admin: { status: 409, title: 'The last admin cannot be removed' },
  owns_assets: { status: 409, title: 'They own assets, which somebody must own' },

  // Projects and versions
  project_invalid: {
    status: 422,
    title: 'The project cannot be deployed as it is',
    hint: 'Run `svc validate` and mend what it lists.',
  },
  archive_unsafe: { status: 422, title: 'The archive holds something that is not accepted' },
  archive_too_large: { status: 413, title: 'The project is over a limit' },
  version_final: {
    status: 409,
    title: 'This version was approved or deployed and its content is final',
    hint: 'Give the change a version of its own: `--bump patch`, `--bump minor` or `--bump major`.',
  },
  owner_mismatch: {
    status: 409,
    title: 'Owner or team in agent.yaml differ from the record',
    hint: 'Change the record: `svc registry agent transfer <name> --team <team> --owner <e-mail>`.',
  },
  reference_missing: { status: 422, title: 'A reference cannot be resolved' },
  reference_changed: {
    status: 409,
    title: 'Something this version refers to changed since it was pushed',
    hint: 'Raise `version` in agent.yaml, which pins what is there now, and ask again: `svc submit`.',
  },
  not_in_effect: { status: 422, title: 'agent.yaml asks for something this service cannot give yet' },

  // Approval
  approval_required: { status: 409, title: 'The approval gate refused this deploy' },
  already_decided: { status: 409, title: 'This request was decided already' },
  superseded: {
    status: 409,
    title: 'The draft has changed since this was submitted',
    hint: 'Submit the new content: `svc submit`.',
  },
  own_request: { status: 403, title: 'Nobody approves a request of their own' },

  // Build and run
  engine_unavailable: { status: 503, title: 'The container engine does not answer', hint: 'Run `svc doctor`.' },
  base_image_missing: {
    status: 503,
    title: 'The base image is not there',
    hint: 'Run `npm run quickstart`, or set BASE_IMAGE to an image the engine has.',
  },
  index_unreachable: {
    status: 503,
    title: 'The package index cannot be reached',
    hint: 'Check BUILD_INDEX_URL and BUILD_CA_FILE, then run `svc doctor`.',
  },
  dependency_conflict: {
    status: 422,
    title: 'The dependencies cannot be installed together',
    hint: 'Widen the version range named below.',
  },
  python_unavailable: {
    status: 422,
    title: 'The project needs another Python than there is',
    hint: 'Widen requires-python, or ask an admin for another base image.',
  },
  build_failed: { status: 500, title: 'The image could not be built' },
  out_of_memory: { status: 422, title: 'It ran out of memory', hint: 'Raise deploy.resources.memory in agent.yaml.' },
  disk_limit: { status: 422, title: 'The build wrote more than it may' },
  start_failed: { status: 422, title: 'The agent did not start' },
  health_check_failed: { status: 422, title: 'The health check was not answered in time' },
  deploy_running: {
    status: 409,
    title: 'A deploy of this agent is running already',
    hint: 'Watch it: `svc deployments watch <id>`.',
  },
  already_deployed: {
    status: 409,
    title: 'Exactly this is running already',
    hint: 'Use `--force` to deploy it again.',
  },
  cancelled: { status: 409, title: 'It was cancelled' },
  not_cancellable: { status: 409, title: 'It has ended or switched already' },
  not_deployed: { status: 409, title: 'This agent is not deployed', hint: 'Run `svc deploy agents/<name>@<version>`.' },
  agent_unavailable: {
    status: 503,
    title: 'The agent does not answer',
    hint: 'Run `svc status <name>` and `svc logs <name>`.',
  },
  agent_error: { status: 502, title: 'The agent failed', hint: 'Run `svc logs <name>`.' },
  run_gone: { status: 404, title: 'There is no such call of yours' },

  // The audit log
  not_provable: { status: 409, title: 'Nothing signed reaches this entry', hint: 'Run `svc audit verify`.' },
  log_mismatch: {
    status: 503,
    title: 'The audit log is not what was signed before',
    hint: 'Run `svc audit verify`; after a restore, on the host: `svc audit reseal --reason "…"`.',
  },

  // The service
  starting: { status: 503, title: 'The service is starting or stopping' },
  storage_full: {
    status: 507,
    title: 'The service has no room left to write',
    hint: 'Free some room on its disks, or make them larger: `svc doctor` says how much there is.',
  },
  internal: {
    status: 500,
    title: 'Something went wrong inside the service',
    hint: 'Look for the request id in the service log.',
  },
} as const satisfies Record<string, Refusal>;
export type ProblemCode = keyof typeof problems;

/** Every endpoint can answer with these; the others it lists. */
export const commonProblems = [
  'malformed',
  'invalid',
  'too_large',
  'headers_too_large',
  'request_timeout',
  'unsupported_media_type',
  'unauthenticated',
  'password_change_required',
  'forbidden',
  'not_in_team',
  'not_found',
  'rate_limited',
  'starting',
  'storage_full',
  'internal',
] as const satisfies readonly ProblemCode[];

/** One fault of an input, by JSON pointer, and in a file by line and column. */
export interface Fault {
  pointer?: string;
  message: string;
  file?: string;
  line?: number;
  column?: number;
  [more: string]: unknown;
}

export interface ProblemMore {
  /** What is wrong here, with its values. No secret, path or SQL. */
  detail?: string;
  /** What to do next, where the table's hint is not precise enough. */
  hint?: string;
  errors?: Fault[];
  retry_after_seconds?: number;
  /** Further members of the problem document (RFC 9457, section 3.2). */
  fields?: Record<string, unknown>;
}

/** An expected refusal. Anything else that is thrown is a bug and becomes `internal`. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly status: number;
  readonly detail: string;
  readonly hint: string | undefined;
  readonly errors: Fault[];
  readonly retry_after_seconds: number | undefined;
  readonly fields: Record<string, unknown>;

  constructor(code: ProblemCode, more: ProblemMore = {}) {
    const refusal: Refusal = problems[code];
    super(more.detail ?? refusal.title);
    this.name = 'Problem';
    this.code = code;
    this.status = refusal.status;
    this.detail = more.detail ?? refusal.title;
    this.hint = more.hint ?? refusal.hint;
    this.errors = more.errors ?? [];
    this.retry_after_seconds = more.retry_after_seconds;
    this.fields = more.fields ?? {};
  }
}

/** The problem document of RFC 9457 as it goes over the wire. */
export interface ProblemDocument {
  type: string;
  title: string;
  status: number;
  code: ProblemCode;
  detail: string;
  hint?: string;
  request_id?: string;
  errors?: Fault[];
  [more: string]: unknown;
}

export function problemDocument(problem: Problem, request_id?: string): ProblemDocument {
  return {
    ...problem.fields,
    type: `urn:gantry:problem:${problem.code}`,
    title: problems[problem.code].title,
    status: problem.status,
    code: problem.code,
    detail: problem.detail,
    ...(problem.hint === undefined ? {} : { hint: problem.hint }),
    ...(request_id === undefined ? {} : { request_id }),
    ...(problem.errors.length === 0 ? {} : { errors: problem.errors }),
  };
}

/** Reads a problem document back; undefined when the value is none. */
export function readProblem(value: unknown): Problem | undefined {
  if (typeof value !== 'object' || value === null || !('code' in value)) return undefined;
  const {
    type: _type,
    title: _title,
    status: _status,
    code,
    detail,
    hint,
    errors,
    ...fields
  } = value as Partial<ProblemDocument>; // every member is checked below or only shown
  if (typeof code !== 'string' || !(code in problems)) return undefined;
  return new Problem(code, {
    fields,
    ...(typeof detail === 'string' ? { detail } : {}),
    ...(typeof hint === 'string' ? { hint } : {}),
    ...(Array.isArray(errors) ? { errors } : {}),
  });
}

/**
 * Reads a refusal that an agent's own server answered with. It passes the ingress as it is, with codes of the wrapper's
 * that are none of ours: it becomes `agent_error`, or `agent_unavailable` for one that takes no call now, with its sentence,
 * its code in `agent_code`.
 */
export function readAgentProblem(value: unknown): Problem | undefined {
  if (typeof value !== 'object' || value === null || !('code' in value) || !('detail' in value)) return undefined;
  const {
    type: _type,
    title: _title,
    status,
    code,
    detail,
    hint,
    errors,
    ...fields
  } = value as Record<string, unknown>; // every member is checked below or only shown
  if (typeof code !== 'string' || typeof detail !== 'string') return undefined;
  return new Problem(status === 503 ? 'agent_unavailable' : 'agent_error', {
    detail,
    fields: { ...fields, agent_code: code },
    ...(typeof hint === 'string'
      ? { hint }
      : typeof status === 'number' && status < 500
        ? { hint: 'Change the call; the agent itself is well.' }
        : {}),
    ...(Array.isArray(errors) ? { errors: errors.map(readAgentFault) } : {}),
  });
}

/** The wrapper's faults say `detail` where ours say `message`. */
function readAgentFault(value: unknown): Fault {
  const { pointer, detail } = Object(value) as Record<string, unknown>; // both are checked here
  return {
    message: typeof detail === 'string' ? detail : JSON.stringify(value),
    ...(typeof pointer === 'string' ? { pointer } : {}),
  };
}
