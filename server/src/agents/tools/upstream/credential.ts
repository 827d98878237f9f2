// Whose credential a connection to a server sends, as its config says.
import { Problem } from '@gantry/contract/problems.ts';
import type { EndCaller } from '../../../governance/access/caller.ts';
import type { Link } from '../../../ground/run-token.ts';
import { delegateToken } from '../../connections/delegate-token.ts';
import { notAPerson } from '../../connections/require-consent.ts';
import { wantScopes } from '../../connections/oauth/want-scopes.ts';
import { nextCredential, userCredential } from '../../connections/user-credential.ts';
import type { ToolParts } from '../parts.ts';
import type { Credential } from './authorized-fetch.ts';
import type { Upstream } from './connect.ts';

/** For whom, and through which assets, the calling agent first. */
export interface Behalf {
  user: EndCaller;
  through: readonly Link[];
}

export function credentialOf(parts: ToolParts, upstream: Upstream, behalf: Behalf): Credential {
  const { as, url: address = '' } = upstream.config;
  if (as === 'user') return ofUser(parts, upstream, behalf.user);
  if (as === 'delegate') return { present: async () => await delegateToken(parts, { ...behalf, address }) };
  return ofTeam(parts, upstream);
}

function ofUser(parts: ToolParts, { asset, version, config }: Upstream, user: EndCaller): Credential {
  const { url: address = '', oauth } = config;
  const of = { user, server: { asset, version, address, oauth } };
  const onlyPeople = () => {
    if (user.kind !== 'user') throw notAPerson(of.server.asset, user);
  };
  return {
    present: async () => {
      onlyPeople();
      return await userCredential(parts, of);
    },
    next: async (refused) => await nextCredential(parts, of, refused),
    widen: async (scope) => await wantScopes(parts, { ...of, scope }),
  };
}

/** Read once for a connection. */
function ofTeam(parts: ToolParts, upstream: Upstream): Credential {
  const { secret } = upstream.config;
  let read: Promise<string | undefined> | undefined;
  return {
    present: async () => (secret === undefined ? undefined : await (read ??= teamSecret(parts, upstream, secret))),
  };
}

type SecretsParts = Pick<ToolParts, 'db' | 'readCredentials'>;

/** Throws `server_unavailable` when it is not set. */
export async function teamSecret(parts: SecretsParts, upstream: Upstream, name: string): Promise<string> {
  const { [name]: value = '' } = await teamSecrets(parts, upstream, [name]);
  return value;
}

/** The values of these secrets of the server's team. Throws `server_unavailable` for one that is not set. */
export async function teamSecrets(
  { db, readCredentials }: SecretsParts,
  { ref, asset: { team } }: Upstream,
  names: readonly string[],
): Promise<Record<string, string>> {
  const values = names.length === 0 ? new Map<string, string>() : await readCredentials(db, team.id, names);
  return Object.fromEntries(
    names.map((name) => {
      const value = values.get(name);
      if (value === undefined || value === '')
        throw new Problem('server_unavailable', {
          detail: `${ref} needs the secret ${name} of team ${team.name}, which is not set.`,
          hint: `A team admin sets it: svc secret set ${name} --team ${team.name}`,
        });
      return [name, value];
    }),
  );
}
