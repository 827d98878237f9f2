// The models that an agent on its default target names and cannot call: they were removed, or its team may no longer use them.
import type { Reader } from '../../ground/database/database.ts';
import { commandToAdd, namesWithoutModel } from '../../models/gateway/catalogue/agent-models.ts';
import type { AssetRecord } from '../../assets/registry/find.ts';
import { hadModel } from '../../assets/registry/former-models.ts';
import { loadAgentConfig } from '../../assets/registry/versions/load-version-content.ts';
import { modelNames } from './model-users.ts';
import * as store from './store.ts';

export async function modelsGone(db: Reader, { id, team }: Pick<AssetRecord, 'id' | 'team'>): Promise<string[]> {
  const route = await store.defaultRoute(db, id);
  if (route === undefined) return [];
  const names = modelNames(await loadAgentConfig(db, route.version_id));
  const missing = await namesWithoutModel(db, team.id, names);
  return await Promise.all(
    missing.map(async (name) => {
      const why = (await hadModel(db, name)) ? 'no longer exists' : `is none that team:${team.name} may use`;
      return `Its model ${name} ${why}, so its calls get 403. Add it: ${commandToAdd(name, team.name)}`;
    }),
  );
}
