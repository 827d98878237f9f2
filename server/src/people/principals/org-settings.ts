// Organisation settings come from a file or from an admin. Both ways are a governed change. Decisions read only the database, so replicas
// cannot diverge. Only the file changes a setting that is in the file.
import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { explain, type FileForm } from '@gantry/project/agent-yaml/explain.ts';
import { inOrder, type Finding } from '@gantry/project/finding.ts';
import { orgSettings, type OrgSetting, type OrgSettings } from '@gantry/contract/people/org.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { readYaml } from '@gantry/project/read-yaml.ts';
import { z } from 'zod';
import { authorize } from '../../governance/access/authorize.ts';
import { systemCaller, type Caller } from '../../governance/access/caller.ts';
import { change, type GovernedTx, type Note } from '../../governance/access/change.ts';
import { theOrg } from '../../governance/access/subject.ts';
import type { Database, Reader } from '../../ground/database/database.ts';
import { warnOfTooFewAdmins } from './enough-admins.ts';
import * as store from './store.ts';
import { teamByName } from './team-store.ts';

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
    .filter(([key, value]) => !isDeepStrictEqual(in_effect[key], value))
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
    return [...(warning === undefined ? [] : [warning]), ...(await unknownTeams(tx, given))];
  });
  return { ...(await showOrg(parts, caller)), notices };
}

/** A setting can come before its team. */
async function unknownTeams(db: Reader, { required_guardrails = [] }: Partial<OrgSettings>): Promise<string[]> {
  const named = new Set(required_guardrails.flatMap(({ teams = [] }) => teams));
  const found = await Promise.all([...named].map(async (team) => ((await teamByName(db, team)) ? [] : [team])));
  return found.flat().map((team) => `There is no team:${team} yet; its guardrail waits for one.`);
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
  if (isDeepStrictEqual(before, after)) return;
  await store.updateSettings(tx, after);
  note({ before, after });
}

async function readOrgConfig(file: string): Promise<Partial<OrgSettings>> {
  const source = readYaml(await readFile(file, 'utf8'), file);
  const read = orgSettings.partial().safeParse(source.value ?? {});
  const wrong = read.success || source.value === undefined ? [] : explain(source, read.error.issues, form);
  const faults = inOrder([...source.findings, ...wrong]).filter(({ severity }) => severity === 'error');
  if (!read.success || faults.length > 0) throw new OrgConfigFault(faults.map(printFault).join('\n'));
  return read.data;
}

const form: FileForm = {
  name: 'the settings of the organisation',
  schema: () => z.toJSONSchema(orgSettings.partial(), { io: 'input', target: 'draft-7' }),
};

function printFault({ file, line, message, suggestion }: Finding): string {
  return `${file}:${line}: ${message}${suggestion === undefined ? '' : `. ${suggestion}`}`;
}
