import { secretsOfModel } from '@gantry/project/asset-config/model.ts';
import type { Page } from '@gantry/contract/endpoint.ts';
import type { Model } from '@gantry/contract/models/models.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import type { Database } from '../../../ground/database/database.ts';
import type { Cursors } from '../../../governance/http/cursor.ts';
import { DestinationRefused } from '../../../ground/outbound/outbound.ts';
import { list, type AssetQuery } from '../../../assets/registry/assets/list.ts';
import { formerPrice } from '../../../assets/registry/former-models.ts';
import { loadAsset } from '../../../assets/registry/load-asset.ts';
import { refusedAddress } from '../../../ground/outbound/connection-fault.ts';
import type { ModelRow } from '../model.ts';
import { modelRecord } from '../model-record.ts';
import type { GatewayParts } from '../parts.ts';
import * as store from '../store.ts';

export interface ModelParts {
  db: Database;
  cursors: Cursors;
  gateway: GatewayParts;
}

/** By name. A name is not resolved, so only a literal private address is reported here. */
export async function listCatalogue(
  { db, cursors, gateway }: ModelParts,
  caller: Caller,
  query: AssetQuery,
): Promise<Page<Model>> {
  const { items, ...more } = await list(db, cursors, caller, { ...query, kind: 'model' });
  const rows = await store.modelsById(
    db,
    items.map(({ id }) => id),
  );
  const faultOf = (base_url: string) => faultIn(base_url, () => gateway.outbound.read(base_url));
  const records = new Map((await recordsOf({ db, gateway }, rows, faultOf)).map((record) => [record.id, record]));
  return { items: items.flatMap(({ id }) => records.get(id) ?? []), ...more };
}

export async function showInCatalogue(
  { db, gateway }: Pick<ModelParts, 'db' | 'gateway'>,
  caller: Caller,
  name: string,
): Promise<Model> {
  const asset = await loadAsset(db, { kind: 'model', name }, caller);
  authorize(caller, 'asset.read', asset);
  const rows = await store.modelsById(db, [asset.id]);
  const faults = new Map<string, string | undefined>();
  for (const { base_url } of (await recordsOf({ db, gateway }, rows, () => undefined))[0]?.upstreams ?? [])
    faults.set(base_url, await resolvedFault(gateway, base_url));
  const [record] = await recordsOf({ db, gateway }, rows, (base_url) => faults.get(base_url));
  if (record === undefined) throw new Problem('not_found');
  const former = record.own_price === null ? await formerPrice(db, { name, team_id: asset.team.id }) : undefined;
  return { ...record, former_price: former ?? null };
}

async function recordsOf(
  { db, gateway }: Pick<ModelParts, 'db' | 'gateway'>,
  rows: readonly ModelRow[],
  faultOf: (base_url: string) => string | undefined,
): Promise<Model[]> {
  const health = await store.healthOf(
    db,
    rows.map(({ id }) => id),
  );
  return await Promise.all(
    rows.map(async (row) => {
      const credentials = await gateway.readCredentials(db, row.team_id, secretsOfModel(row.config));
      return modelRecord(row, { credentials, health, faultOf });
    }),
  );
}

async function resolvedFault({ outbound }: GatewayParts, base_url: string): Promise<string | undefined> {
  try {
    await outbound.check(base_url);
    return undefined;
  } catch (error) {
    return faultIn(base_url, () => {
      throw error;
    });
  }
}

function faultIn(base_url: string, read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (!(error instanceof DestinationRefused)) throw error;
    return refusedAddress(error, base_url);
  }
}
