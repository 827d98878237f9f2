import type { Difference } from '@gantry/contract/assets/difference.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import { decide } from '../../../governance/access/decide.ts';
import type { AssetSubject } from '../../../governance/access/subject.ts';
import type { Reader } from '../../../ground/database/database.ts';
import * as contents from '../content-store.ts';
import { changedFiles, difference, type ChangedFile, type Compared } from './difference.ts';
import { approvedTools } from '../tool-lists/approved-tools.ts';
import { textOfFilesNeeds } from '../policy.ts';
import { ofAgent } from './of-agent.ts';
import { max_file_bytes, max_files } from './file-diffs.ts';

export interface Before {
  digest: string;
  /** The destinations of its container, when it has one; null: not limited. It may have been made under another setting. */
  made?: readonly string[] | null | undefined;
}

/**
 * The difference between two stored contents for this caller. A caller who may not read the text of the files gets the names of changed files
 * and environment variables, but not their content.
 */
export async function compare(
  db: Reader,
  caller: Caller,
  asset: AssetSubject,
  of: { before: Before | undefined; after: string },
): Promise<Difference> {
  const before = of.before === undefined ? undefined : await load(db, asset, of.before);
  const after = await load(db, asset, { digest: of.after });
  if (!decide(caller, textOfFilesNeeds(asset), asset).allowed) return withoutValues(difference(before, after));
  const files = changedFiles(before?.manifest ?? [], after.manifest).slice(0, max_files);
  return difference(before, after, await contents.blobs(db, files.flatMap(shortOnes)));
}

export async function load(db: Reader, asset: AssetSubject, { digest, made }: Before): Promise<Compared> {
  const content = await contents.content(db, digest);
  if (content === undefined) throw new Error(`there is no content ${digest}`);
  const tools = await approvedTools(db, content);
  return { ...content, tools, ...(await ofAgent(db, asset, { ...content, made })) };
}

function shortOnes({ was, is }: ChangedFile): string[] {
  return [was, is].flatMap((file) => (file !== undefined && file.size <= max_file_bytes ? [file.sha256] : []));
}

function withoutValues(changes: Difference): Difference {
  const hidden = (value: Difference['config'][number]['before']) => (value === null ? null : '(hidden)');
  const config = changes.config.map((one) =>
    // Those of an agent are under `deploy`, those of an MCP server beside its command.
    /^(?:deploy\.)?env_vars\./.test(one.path)
      ? { path: one.path, before: hidden(one.before), after: hidden(one.after) }
      : one,
  );
  return { ...changes, config };
}
