// What AWS answers when it does not do as asked, as problems with its own words. A thing that is missing or there already keeps its name.
import { Problem } from '@gantry/contract/problems.ts';

/** Not with this key, at this time. */
const refused_keys: readonly string[] = [
  'UnrecognizedClientException',
  'InvalidClientTokenId',
  'InvalidAccessKeyId',
  'InvalidSignatureException',
  'SignatureDoesNotMatch',
  'IncompleteSignature',
  'ExpiredTokenException',
  'ExpiredToken',
];

const denials: readonly string[] = ['AccessDeniedException', 'AccessDenied', 'UnauthorizedOperation'];

/** Callers ask for these by their names. */
const asked_for: readonly string[] = [
  'ResourceNotFoundException',
  'ResourceExistsException',
  'ResourceAlreadyExistsException',
  'RepositoryAlreadyExistsException',
  'ObjectNotFoundException',
];

/**
 * `engine_unavailable` without an answer or without the right to it, and `start_failed` for what AWS refuses. The same error where it is none of AWS,
 * or one that the caller asks for by its name. `operation`: as the model of the service names it.
 */
export function problemOf(error: Error, operation: string): Error {
  if (error instanceof Problem || error.name === 'AbortError') return error;
  const { name } = error;
  // A sentence about a value may repeat it.
  const message = writes_values.includes(operation) ? `${name} for ${operation}` : error.message;
  // Some services give a denial of `iam:PassRole` another name.
  if (denials.includes(name) || denial.test(short(error.message)))
    return new Problem('engine_unavailable', denied(error.message));
  if (refused_keys.includes(name))
    return unavailable('AWS does not accept the access key of the target.', 'svc target credential');
  if (name === 'CredentialsProviderError')
    return unavailable(
      'The target has no access key, and the machine of the service has no identity in AWS.',
      'svc target credential <name> --access-key-id <id>',
    );
  if (name === 'ClusterNotFoundException') return unavailable('The cluster of the target is not in this region.');
  if (/Throttl|TooManyRequests|RequestLimitExceeded/.test(name))
    return unavailable('AWS answers no more requests for a while (the limit of the account).');
  const fault = '$fault' in error ? error.$fault : undefined;
  if (fault === 'server') return unavailable(`AWS has a fault: ${short(message)}`);
  if (fault === 'client' && !asked_for.includes(name))
    return new Problem('start_failed', { detail: `AWS refuses it: ${short(message)}` });
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (fault === undefined && (name === 'TimeoutError' || code !== undefined))
    return unavailable(`AWS does not answer (${code ?? 'no answer in time'}).`);
  if (fault === undefined && '$metadata' in error)
    return unavailable('The answer is none of AWS. Something between the service and AWS may have given it.');
  return error;
}

const writes_values: readonly string[] = ['PutSecretValue', 'CreateSecret'];

const unavailable = (detail: string, command?: string) =>
  new Problem('engine_unavailable', {
    detail,
    ...(command !== undefined && { hint: `A platform admin sets another one: ${command}` }),
  });

export const policy_hint = 'Give the identity of the target the policy: svc target policy <name>';

/** IAM names the action and the resource, in the form that all services of AWS share. */
const denial = /is not authorized to perform: (?<action>[a-z0-9-]+:[A-Za-z]+)(?: on resource: (?<resource>\S+))?/;

function denied(message: string) {
  const { action, resource } = denial.exec(message.slice(0, most_characters))?.groups ?? {};
  const what = action === undefined ? short(message) : `${action}${resource === undefined ? '' : ` on ${resource}`}`;
  return { detail: `AWS does not allow it: ${what}.`, hint: policy_hint };
}

const most_characters = 1000;
const short = (text: string) => text.slice(0, most_characters);
