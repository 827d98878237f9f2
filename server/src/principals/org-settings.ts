// Organisation settings come from a file or from an admin. Both ways are a governed change. Decisions read only the database, so replicas
// cannot diverge. Only the file changes a setting that is in the file.
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

/** This server's settings file at its last reading. */
export interface OrgFile {
  path: string | null;
  settings: Partial<OrgSettings>;
}

/** Applies the file and returns its settings. Other settings are unchanged. */
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
 * Differences between the current file and the settings in effect. They appear after an edit without a reload, or when servers of one
 * database have different files.
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

/** Throws `conflict` for settings that are in the file. */
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
      detail: `Only the file ${path} can change ${taken.join(', ')}.`,
      hint: 'Edit the file; the service reads it at start and on SIGHUP.',
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
  // The lock puts two simultaneous changes in sequence.
  await store.holdSettings(tx);
  const before = await store.settings(tx);
  const after = { ...before, ...(JSON.parse(JSON.stringify(given)) as Partial<OrgSettings>) }; // without undefined members
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
