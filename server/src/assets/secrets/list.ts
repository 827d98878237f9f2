import type { Page } from '@gantry/contract/endpoint.ts';
import type { Secret } from '@gantry/contract/assets/secrets.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { theOrg } from '../../governance/access/subject.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { findAssetsById } from '../registry/find.ts';
import type { SecretParts } from './parts.ts';
import { isSecretListed } from './policy.ts';
import { toSecrets } from './records.ts';
import * as store from './store.ts';

export interface ListQuery {
  team?: string | undefined;
  agent?: string | undefined;
  name?: string | undefined;
  limit: number;
  cursor?: string | undefined;
}

export async function listSecrets(parts: SecretParts, caller: Caller, query: ListQuery): Promise<Page<Secret>> {
  const { db, cursors } = parts;
  const user = signedIn(caller);
  authorize(user, 'secret.list', theOrg);
  const { team, agent, name, limit } = query;
  const scope = ['secrets', user.id, team ?? null, agent ?? null, name ?? null];
  const [last_name, last_id] = cursors.read(query.cursor, scope) ?? [];
  const after = last_name === undefined ? undefined : { name: String(last_name), id: String(last_id) };
  const rows = await store.secrets(db, { caller: user, team, agent, name, after, limit: limit + 1 });
  const agent_ids = rows.flatMap(({ agent_id }) => agent_id ?? []);
  const agents = new Map((await findAssetsById(db, agent_ids, user)).map((asset) => [asset.id, asset]));
  const listed = rows.filter((row) => isSecretListed(user, row, agents.get(row.agent_id ?? '')));
  const records = new Map((await toSecrets(parts, user, listed)).map((record) => [record.id, record]));
  return cursors.page(
    rows,
    limit,
    scope,
    (row) => [row.name, row.id],
    (row) => records.get(row.id),
  );
}
