// The images of hosted servers are facts, and not governed. The pin of a list governs which one runs.
import type { Database, Reader } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';
import type { OfServer } from './tool-list-store.ts';

export interface HostedImage {
  id: string;
  /** `sha256:…` of the image. */
  digest: string;
  /** The pin of the base image. */
  base_image: string;
  python: string;
  lock: string;
  npm_lock: string | null;
  components: { name: string; version: string }[];
}

export type ImageRef = Pick<HostedImage, 'id' | 'digest'>;

/** Stored once for each digest: equal content gives an equal image. */
export async function putImage(
  db: Database,
  { asset_id, version }: OfServer,
  { digest, base_image, python, lock, npm_lock, components }: Omit<HostedImage, 'id'>,
): Promise<HostedImage> {
  await db.run(sql`
    insert into hosted_image (asset_id, version, digest, base_image, python, lock, npm_lock, components)
    values (${asset_id}, ${version}, ${digest}, ${base_image}, ${python}, ${lock}, ${npm_lock}, ${JSON.stringify(components)})
    on conflict (asset_id, version, digest) do nothing`);
  const stored = await db.one<HostedImage>(sql`
    select ${columns} from hosted_image where asset_id = ${asset_id} and version = ${version} and digest = ${digest}`);
  if (stored === undefined) throw new Error(`the image ${digest} is not stored`);
  return stored;
}

/** The newest on this base image: its lock is used again. */
export async function imageOn(
  db: Reader,
  { asset_id, version, base_image }: OfServer & { base_image: string },
): Promise<HostedImage | undefined> {
  return await db.one<HostedImage>(sql`
    select ${columns} from hosted_image where asset_id = ${asset_id} and version = ${version} and base_image = ${base_image}
    order by made_at desc limit 1`);
}

export async function imageById(db: Reader, id: string): Promise<HostedImage | undefined> {
  return await db.one<HostedImage>(sql`select ${columns} from hosted_image where id = ${id}`);
}

/** The image of the pinned list. */
export async function pinnedImage(db: Reader, { asset_id, version }: OfServer): Promise<ImageRef | undefined> {
  return await db.one<ImageRef>(sql`
    select i.id, i.digest from tool_pin p join tool_list l on l.id = p.list_id join hosted_image i on i.id = l.image_id
    where p.asset_id = ${asset_id} and p.version = ${version}`);
}

/** What is in the image of the pinned list. */
export async function pinnedContents(
  db: Reader,
  { asset_id, version }: OfServer,
): Promise<Pick<HostedImage, 'digest' | 'components'> | undefined> {
  return await db.one<Pick<HostedImage, 'digest' | 'components'>>(sql`
    select i.digest, i.components
    from tool_pin p join tool_list l on l.id = p.list_id join hosted_image i on i.id = l.image_id
    where p.asset_id = ${asset_id} and p.version = ${version}`);
}

/** The images of all pinned lists. */
export async function pinnedImages(db: Reader): Promise<string[]> {
  const rows = await db.all<{ digest: string }>(sql`
    select distinct i.digest from tool_pin p join tool_list l on l.id = p.list_id join hosted_image i on i.id = l.image_id`);
  return rows.map(({ digest }) => digest);
}

const columns = sql`id, digest, base_image, python, lock, npm_lock, components`;
