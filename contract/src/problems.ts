// Every refusal of the service: a stable code, its HTTP status, a sentence and a hint. Clients match codes. Sentence and hint are for
// people, and the thrower can make them more precise.
import { knowledgeProblems } from './agents/knowledge-problems.ts';
import { memoryProblems } from './agents/memory-problems.ts';
import { targetProblems } from './agents/target-problems.ts';
import { toolProblems } from './assets/tool-problems.ts';
import { signInProblems } from './people/sign-in-problems.ts';

interface ProblemType {
  status: number;
  title: string;
  hint?: string;
  /** When a client asks again, if the thrower knows no better time. Every 503 has it. */
  retry_after_seconds?: number;
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
  rate_limited: { status: 429, title: 'Too many attempts', hint: 'Wait for the time in Retry-After.' },
  too_many_requests: { status: 429, title: 'Too many requests at once', hint: 'Wait for the time in Retry-After.' },
  idempotency_conflict: { status: 409, title: 'This idempotency key was already used' },

  // Who is asking
  unauthenticated: { status: 401, title: 'Sign-in is needed', hint: 'Run `svc login`.' },
  bad_credentials: { status: 401, title: 'E-mail or password is wrong' },
  password_change_required: {
    status: 403,
    title: 'The password must be changed first',
    hint: 'Run `svc login` and choose a new password.',
  },
  cross_site: {
    status: 403,
    title: 'The request does not come from a page of this service',
    hint: 'Open the console at the address of the service. Programs send a bearer token instead of the cookie.',
  },
  https_required: {
    status: 403,
    title: 'A browser signs in over https, or on the machine of the service',
    hint: 'Open the https address. TRUSTED_PROXIES must name the proxy that serves it.',
  },
  forbidden: { status: 403, title: 'Your role does not allow this' },
  rbac_failed: { status: 403, title: 'RBAC check failed' },
  not_in_team: {
    status: 403,
    title: 'You are not in this team',
    hint: 'Run `svc context clear`, or pick one of your teams.',
  },

  // What exists already
  conflict: { status: 409, title: 'This conflicts with the current state' },
  exists: { status: 409, title: 'This name is taken' },
  in_use: {
    status: 409,
    title: 'This is still in use',
    hint: 'First change or remove everything that uses it.',
  },
  last_admin: { status: 409, title: 'The last admin cannot be removed' },
  owns_assets: { status: 409, title: 'They own assets, and every asset needs an owner' },

  // Projects and versions
  project_invalid: {
    status: 422,
    title: 'The project has faults that prevent a deploy',
    hint: 'Run `svc validate` and fix the faults that it lists.',
  },
  archive_unsafe: { status: 422, title: 'The archive contains an entry that is not accepted' },
  archive_too_large: { status: 413, title: 'The project exceeds a limit' },
  version_final: {
    status: 409,
    title: 'This version was approved or deployed and its content is final',
    hint: 'Give the change a new version: `--bump patch`, `--bump minor` or `--bump major`.',
  },
  owner_mismatch: {
    status: 409,
    title: 'Owner or team in agent.yaml or orchestration.yaml differs from the registry',
    hint: 'Change the registry: `svc registry agent transfer <name> --team <team> --owner <e-mail>`.',
  },
  reference_missing: { status: 422, title: 'A reference cannot be resolved' },
  reference_changed: {
    status: 409,
    title: 'A reference of this version has changed since the push',
    hint: 'Raise `version` in agent.yaml to pin the current content, and submit again: `svc submit`.',
  },
  secret_missing: { status: 422, title: 'A secret of `deploy.secrets` is not set' },
  egress_refused: { status: 422, title: 'The organisation does not allow `deploy.egress`' },
  not_in_effect: { status: 422, title: 'agent.yaml needs a feature that this service does not have yet' },

  // Approval
  approval_required: { status: 409, title: 'The approval gate refused this deploy' },
  already_decided: { status: 409, title: 'This request is already decided' },
  superseded: {
    status: 409,
    title: 'The draft has changed since this was submitted',
    hint: 'Submit the new content: `svc submit`.',
  },
  own_request: { status: 403, title: 'Nobody may approve their own request' },

  // Build and run
  engine_unavailable: {
    status: 503,
    retry_after_seconds: 10,
    title: 'The container engine does not answer',
    hint: 'Run `svc doctor`.',
  },
  ...targetProblems,
  base_image_missing: {
    status: 503,
    retry_after_seconds: 60,
    title: 'The base image is missing',
    hint: 'Run `npm run quickstart`, or set BASE_IMAGE to an image in the engine.',
  },
  threads_in_container: {
    status: 422,
    title: 'The agent can have only one container',
    hint: 'Keep the threads in a database, or set `deploy.scaling` to `{min: 1, max: 1}`.',
  },
  no_earlier_revision: {
    status: 409,
    title: 'There is no such earlier revision',
    hint: 'List what has run: `svc deployments list <agent>`.',
  },
  image_missing: {
    status: 503,
    retry_after_seconds: 60,
    title: 'The image is missing, and it cannot be rebuilt',
    hint: 'Deploy its project as a new version: `svc deploy --bump patch`.',
  },
  index_unreachable: {
    status: 503,
    retry_after_seconds: 30,
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
    title: 'The project needs a Python version that the service does not have',
    hint: 'Widen requires-python, or ask an admin for another base image.',
  },
  build_failed: { status: 500, title: 'The image could not be built' },
  out_of_memory: { status: 422, title: 'It ran out of memory', hint: 'Raise deploy.resources.memory in agent.yaml.' },
  disk_limit: { status: 422, title: 'The build wrote more than its limit' },
  start_failed: { status: 422, title: 'The agent did not start' },
  health_check_failed: { status: 422, title: 'The health check was not answered in time' },
  deploy_running: {
    status: 409,
    title: 'A deploy of this agent is already running',
    hint: 'Watch it: `svc deployments watch <id>`.',
  },
  already_deployed: {
    status: 409,
    title: 'This exact version is already running',
    hint: 'Use `--force` to deploy it again.',
  },
  cancelled: { status: 409, title: 'It was cancelled' },
  ...knowledgeProblems,
  not_cancellable: { status: 409, title: 'It has already ended or switched' },
  not_deployed: { status: 409, title: 'This agent is not deployed', hint: 'Run `svc deploy agents/<name>@<version>`.' },
  agent_unavailable: {
    status: 503,
    retry_after_seconds: 2,
    title: 'The agent does not answer',
    hint: 'Run `svc status <name>` and `svc logs <name>`.',
  },
  agent_error: { status: 502, title: 'The agent failed', hint: 'Run `svc logs <name>`.' },
  too_many_runs: { status: 429, title: 'Too many calls wait for this agent' },
  run_gone: { status: 404, title: 'No call of yours has this id' },

  // Agents together
  members_not_ready: { status: 409, title: 'Members of the orchestration cannot be called' },
  no_route: { status: 422, title: 'No route of the orchestration fits this input' },
  undecided: { status: 502, title: 'A member did not decide in the required form' },
  member_failed: { status: 502, title: 'A member of the orchestration failed' },
  member_waits: { status: 409, title: 'A member waits for a person, and its run cannot continue it' },
  member_changed: { status: 409, title: 'A member is not the one that the orchestration names' },
  mapping_needed: {
    status: 422,
    title: 'The input of a member cannot be made from a text',
    hint: 'Set `input` of the member to the JSON pointer of the field that gets the text.',
  },
  ...memoryProblems,
  ...toolProblems,
  ...signInProblems,
  threads_not_kept: { status: 422, title: 'No conversation is kept here', hint: 'Leave out the `thread_id`.' },
  run_timeout: { status: 504, title: 'The orchestration took longer than its `timeout_seconds`' },
  too_many_calls: { status: 422, title: 'The run made too many calls of agents' },
  call_loop: { status: 409, title: 'The agent is already in this chain of calls' },

  // The model gateway
  invalid_api_key: { status: 401, title: 'This gateway key does not work', hint: 'Create one: `svc key create`.' },
  key_paused: { status: 403, title: 'This gateway key is paused' },
  key_not_recoverable: {
    status: 410,
    title: 'The value of this key is no longer stored',
    hint: 'Create another: `svc key create`.',
  },
  model_not_allowed: { status: 403, title: 'This key may not call this model' },
  model_ambiguous: {
    status: 400,
    title: 'The name means several models',
    hint: 'Name one of them: `models/<name>`.',
  },
  join_refused: {
    status: 403,
    title: 'This container cannot join',
    hint: 'Start the instance again: each start has a token of its own, for one process.',
  },
  run_refused: {
    status: 403,
    title: 'The run token is not valid with this key',
    hint: 'Leave out the header X-Svc-Run. The container of an agent adds it.',
  },
  model_unpriced: {
    status: 400,
    title: 'The model has no price, so no budget can be kept',
    hint: 'Set one: `svc model price set`.',
  },
  file_refused: { status: 422, title: 'The agent does not take this file' },
  guardrail_blocked: { status: 400, title: 'A guardrail has blocked this text' },
  budget_exceeded: { status: 429, title: 'The budget is spent' },
  budget_in_flight: { status: 429, title: 'Calls under way hold the rest of the budget' },
  rate_limit_exceeded: { status: 429, title: 'Too many calls in this minute' },
  not_priceable: { status: 400, title: 'The request asks for something whose cost has no bound' },
  model_refused: { status: 400, title: 'The provider refused the call' },
  model_unavailable: { status: 503, retry_after_seconds: 2, title: 'The model does not answer' },
  model_error: { status: 502, title: 'The answer of the model cannot be read' },
  ledger_unavailable: {
    status: 503,
    retry_after_seconds: 1,
    title: 'The ledger does not answer, so nothing may be spent',
  },

  // The audit log
  not_provable: { status: 409, title: 'No signed checkpoint covers this entry', hint: 'Run `svc audit verify`.' },
  log_mismatch: {
    status: 503,
    retry_after_seconds: 60,
    title: 'The audit log does not match its signed checkpoints',
    hint: 'Run `svc audit verify`; after a restore, on the host: `svc audit reseal --reason "…"`.',
  },

  // The service
  starting: { status: 503, retry_after_seconds: 2, title: 'The service is starting or stopping' },
  storage_full: {
    status: 507,
    title: 'The service has no disk space left',
    hint: 'Free space on its disks, or enlarge them: `svc doctor` shows the free space.',
  },
  internal: {
    status: 500,
    title: 'Something went wrong inside the service',
    hint: 'Look for the request id in the service log.',
  },
} as const satisfies Record<string, ProblemType>;
export type ProblemCode = keyof typeof problems;

/** Every endpoint can answer with these; each endpoint lists its other ones. */
export const commonProblems = [
  'malformed',
  'invalid',
  'too_large',
  'headers_too_large',
  'request_timeout',
  'unsupported_media_type',
  'unauthenticated',
  'cross_site',
  'https_required',
  'password_change_required',
  'forbidden',
  'not_in_team',
  'not_found',
  'rate_limited',
  'too_many_requests',
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
  /** The fault, with its values. No secret, path or SQL. */
  detail?: string;
  /** The next step, where the table's hint is not precise enough. */
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
    const refusal: ProblemType = problems[code];
    super(more.detail ?? refusal.title);
    this.name = 'Problem';
    this.code = code;
    this.status = refusal.status;
    this.detail = more.detail ?? refusal.title;
    this.hint = more.hint ?? refusal.hint;
    this.errors = more.errors ?? [];
    this.retry_after_seconds = more.retry_after_seconds ?? refusal.retry_after_seconds;
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

/** Reads a problem document; undefined for any other value. */
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
