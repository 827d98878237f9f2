// Organisation settings stand in a file, are read at start and on SIGHUP, and are recorded as a governed change. Decisions read the
// database, so that replicas cannot diverge.
import { readFile } from 'node:fs/promises';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { authorize } from '../access/authorize.ts';
import { systemCaller } from '../access/caller.ts';
import { change } from '../access/change.ts';
import { theOrg } from '../access/subject.ts';
import type { Database } from '../database/database.ts';
import * as store from './store.ts';

const fileSchema = z.strictObject({
  auth_provider: z.literal('local', 'only `local` works so far').optional(),
  require_approval_for_admins: z.boolean().optional(),
  enforce_password_change: z.boolean().optional(),
  approvals_required: z.int().min(1).max(10).optional(),
  approval_expires_after_days: z.int().min(1).max(3650).nullable().optional(),
});

export class OrgConfigFault extends Error {}

/** Applies the file; a setting that it does not name stays as it is. Answers what changed. */
export async function applyOrgConfig(db: Database, file: string): Promise<Partial<store.Settings>> {
  const given = await readOrgConfig(file);
  const grant = authorize(systemCaller('system.settings'), 'system.settings', theOrg);
  return await change(db, grant, 'settings.changed', async (tx, note) => {
    const before = await store.settings(tx);
    const changed = Object.fromEntries(
      Object.entries(given).filter(([key, value]) => before[key as keyof store.Settings] !== value),
    ); // the schema's keys are these
    if (Object.keys(changed).length === 0) return {};
    await store.updateSettings(tx, { ...before, ...changed });
    note({ before, after: { ...before, ...changed } });
    return changed;
  });
}

async function readOrgConfig(file: string): Promise<Partial<store.Settings>> {
  const document = parseDocument(await readFile(file, 'utf8'), { uniqueKeys: true });
  const [fault] = document.errors;
  if (fault !== undefined) throw new OrgConfigFault(`${file}: ${fault.message}`);
  const read = fileSchema.safeParse(document.toJS({ maxAliasCount: 0 }) ?? {});
  if (!read.success) throw new OrgConfigFault(`${file}:\n${z.prettifyError(read.error)}`);
  return read.data;
}
