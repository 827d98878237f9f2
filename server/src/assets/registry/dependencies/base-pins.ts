// Content of schema 1 names its base image by an id of one engine. The image's pin is looked up once, while that engine has the image. The
// content's digest and approval stay as they are, and from then on any engine with the same base image builds it.
import type { Database } from '../../../ground/database/database.ts';
import { findImage } from '../../docker/base-image.ts';
import type { Engine } from '../../docker/client.ts';
import type { StoredContent } from '../content-store.ts';
import * as contents from '../content-store.ts';

export interface PinParts {
  db: Database;
  engine: Engine;
}

/** Undefined when the image left the engine before its pin was known. */
export async function pinOfBase(
  { db, engine }: PinParts,
  { base_pin, base_image }: Pick<StoredContent, 'base_pin' | 'base_image'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (base_pin !== null) return base_pin;
  const pin = (await findImage(engine, base_image, signal))?.pin;
  if (pin !== undefined) await contents.insertBasePin(db, { base_image, pin });
  return pin;
}

/** Looks up every unknown pin, and returns all pins that contents name. The lookup is now, because an admin may remove an older image from the engine. */
export async function pinBases(parts: PinParts, signal: AbortSignal): Promise<ReadonlySet<string>> {
  for (const base_image of await contents.unpinnedBases(parts.db))
    await pinOfBase(parts, { base_pin: null, base_image }, signal);
  return new Set(await contents.basePins(parts.db));
}
