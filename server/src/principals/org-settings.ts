// Organisation settings stand in a file or are set by an admin; either way they are a governed change, and decisions read the database, so
// that replicas cannot diverge. A setting that stands in the file is the file's: nothing else sets it.
import { readFile } from 'node:fs/promises';
import { orgSettings, type OrgSetting, type OrgSettings } from '@gantry/contract/org.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { authorize } from '../access/authorize.ts';
import { systemCaller, type Caller } from '../access/caller.ts';
import { change, type GovernedTx, type Note } from '../access/change.ts';
import { theOrg } from '../access/subject.ts';
import type { Database } from '../database/database.ts';
import { warnOfTooFewAdmins } from './enough-admins.ts';
import * as store from './store.ts';

export class OrgConfigFault extends Error {}

/** This server's settings file as it was last read. */
export interface OrgFile {
  path: string | null;
  settings: Partial<OrgSettings>;
}

/** Applies the file; a setting that it does not name stays as it is. Answers what it says. */
export async function applyOrgConfig(db: Database, path: string): Promise<OrgFile> {
  const given = await readOrgConfig(path);
  const grant = authorize(systemCaller('system.settings'), 'system.settings', theOrg);
  await change(db, grant, 'settings.changed', async (tx, note) => await write(tx, note, given));
  return { path, settings: given };
}

export interface OrgFileDifference {
  key: string;
  in_file: unknown;
  in_effect: unknown;
}

/**
 * Where the file, as it is now, is not what decisions go by: it was edited and not read since, or another server of the same database has
 * another file, or none.
 */
export async function compareOrgConfig(db: Database, path: string): Promise<OrgFileDifference[]> {
  const given = await readOrgConfig(path);
  const in_effect: Record<string, unknown> = { ...(await store.settings(db)) };
  return Object.entries(given)
    .filter(([key, value]) => in_effect[key] !== value)
    .map(([key, in_file]) => ({ key, in_file, in_effect: in_effect[key] }));
}

interface OrgParts {
  db: Database;
  orgFile: () => OrgFile;
}

export async function showOrg({ db, orgFile }: OrgParts, caller: Caller) {
  const grant = authorize(caller, 'org.read', theOrg);
  const { path, settings } = orgFile();
  const isAdmin = grant.caller.kind === 'user' && grant.caller.role === 'admin';
  return { settings: await store.settings(db), file: isAdmin ? path : null, set_in_file: Object.keys(settings) };
}

/** Sets what is given. Throws `conflict` for what is the file's. */
export async function setOrg(
  parts: OrgParts,
  caller: Caller,
  given: { [K in OrgSetting]?: OrgSettings[K] | undefined },
) {
  const { db, orgFile } = parts;
  const grant = authorize(caller, 'org.change', theOrg);
  const { path, settings } = orgFile();
  const taken = Object.keys(given).filter((key) => Object.hasOwn(settings, key));
  if (taken.length > 0)
    throw new Problem('conflict', {
      detail: `${taken.join(', ')} stands in ${path}, and nothing else sets it.`,
      hint: 'Change it there; the service reads it at start and on SIGHUP.',
    });
  const notices = await change(db, grant, 'settings.changed', async (tx, note) => {
    await write(tx, note, given);
    const warning = await warnOfTooFewAdmins(tx);
    return warning === undefined ? [] : [warning];
  });
  return { ...(await showOrg(parts, caller)), notices };
}

async function write(
  tx: GovernedTx,
  note: Note,
  given: { [K in OrgSetting]?: OrgSettings[K] | undefined },
): Promise<void> {
  // Two who set something at once: each begins with what the other left.
  await store.holdSettings(tx);
  const before = await store.settings(tx);
  const after = { ...before, ...(JSON.parse(JSON.stringify(given)) as Partial<OrgSettings>) }; // without what is undefined
  if (JSON.stringify(before) === JSON.stringify(after)) return;
  await store.updateSettings(tx, after);
  note({ before, after });
}

async function readOrgConfig(file: string): Promise<Partial<OrgSettings>> {
  const document = parseDocument(await readFile(file, 'utf8'), { uniqueKeys: true });
  const [fault] = document.errors;
  if (fault !== undefined) throw new OrgConfigFault(`${file}: ${fault.message}`);
  const read = orgSettings.partial().safeParse(document.toJS({ maxAliasCount: 0 }) ?? {});
  if (!read.success) throw new OrgConfigFault(`${file}:\n${z.prettifyError(read.error)}`);
  return read.data;
}
