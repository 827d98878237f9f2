// Assets with a config and no files: all kinds but agents and skills. Each of their versions is final from the start, because nothing approves
// them; a change is a new version.
import type { ConfigOnlyKind } from '@gantry/contract/assets/asset-kinds.ts';
import { reserved_servers } from '@gantry/contract/assets/tools.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { printRef, type AssetRef } from '@gantry/contract/refs.ts';
import type { Visibility } from '@gantry/contract/roles.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import { errorCode, unique_violation, type Database } from '../../../ground/database/database.ts';
import { loadTeam } from '../../../people/principals/load-team.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import { searchWords } from '../asset.ts';
import { configOnly } from '../content.ts';
import type { RuleThread } from '../call-rules/rule-thread.ts';
import { requireRuleTests } from '../call-rules/require-rule-tests.ts';
import { readDescribed, requireTeam } from './described-by-config.ts';
import { insertOwned } from './insert-owned.ts';
import { authorizeBilling } from './model-billing.ts';
import { requireFreeNames } from './model-names.ts';
import { ownerOfNew } from './owner.ts';
import { authorizeTargetChange } from './target-change.ts';
import { pinReferences } from '../references/pin-references.ts';
import { putFinal } from '../versions/put-final.ts';
import type { Config } from '../read-config.ts';
import { referencesOfConfig } from '../references/references.ts';

export interface NewAsset {
  name: string;
  team: string;
  /** E-mail; the caller when absent. */
  owner?: string | undefined;
  version: string;
  description: string;
  tags: string[];
  visibility: Visibility;
  config: Config;
}

export async function create(
  { db, rules }: { db: Database; rules: RuleThread },
  caller: Caller,
  kind: ConfigOnlyKind,
  made: NewAsset,
): Promise<void> {
  const user = signedIn(caller);
  const team = await loadTeam(db, made.team);
  const self = { kind, name: made.name };
  const ref = printRef(self);
  const grant = authorize(user, 'asset.create', { ...team, creating: ref });
  const read = readDescribed(kind, made.config, { name: made.name, version: made.version, team: team.name });
  const { config, described } = read;
  requireTeam(read, team.name);
  requireFreeName(self);
  await requireRuleTests(rules, user, { ...self, config });
  const owner_id = await ownerOfNew(db, user, team, made.owner ?? described?.owner);
  authorizeBilling(user, team, { kind, config });
  authorizeTargetChange(user, kind);
  if (kind === 'model') await requireFreeNames(db, user, { team, name: made.name, config });
  const content = configOnly(config, await pinReferences(db, user, referencesOfConfig(self, config)));
  await change(db, grant, 'asset.created', async (tx, note) => {
    const { name, visibility } = made;
    const description = made.description === '' ? (described?.description ?? '') : made.description;
    const tags = made.tags.length === 0 ? (described?.tags ?? []) : made.tags;
    const search = searchWords({ name, team: team.name, description, tags, framework: null });
    const asset_id = await insertOwned(tx, user, {
      kind,
      name,
      team_id: team.id,
      owner_id,
      description,
      tags,
      framework: null,
      visibility,
      search,
    });
    const digest = await putFinal(tx, { asset_id, version: made.version, content, pushed_by: user.id });
    note({ version: made.version, digest, visibility }, { asset: ref });
  }).catch((error: unknown) => {
    if (errorCode(error) === unique_violation) throw new Problem('exists', { detail: `The name ${ref} is taken.` });
    throw error;
  });
}

/** Throws `invalid`. At the door of the agents the name means something else. */
function requireFreeName({ kind, name }: AssetRef): void {
  if (kind === 'mcp-server' && Object.hasOwn(reserved_servers, name))
    throw new Problem('invalid', {
      detail: `An MCP server cannot have the name ${name}: for agents, that is the server of ${reserved_servers[name]}.`,
      hint: 'Choose another name.',
    });
}
