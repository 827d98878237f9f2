// The files of a call, held against `files` of the agent.yaml that its revision has. Each way in ends here, so none of them brings a file that another
// one refuses. A call can wait, and get another revision than that of its admission: it is checked again.
import { bytesOf } from '@gantry/contract/agents/files/file-part.ts';
import {
  most_files,
  most_message_mb,
  whyNotTaken,
  whyTooMuch,
  type TakenFiles,
} from '@gantry/contract/agents/files/taken-files.ts';
import { Problem, type Fault } from '@gantry/contract/problems.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { parseJson } from '../../../governance/http/request/body.ts';
import { settings } from '../../../people/principals/find.ts';
import type { Admitted } from '../admit.ts';
import { findFiles, printPlace, type FoundFile } from './find-files.ts';

const most_shown = 10;
const mebibyte = 1024 ** 2;

/** Throws `file_refused`, `malformed` for a body that is no JSON, and the reason of the signal. */
export type FileCheck = (admitted: Pick<Admitted, 'agent' | 'revision'>, signal?: AbortSignal) => Promise<void>;

export function fileCheck({ db }: { db: Reader }, body: Uint8Array): FileCheck {
  let found: readonly FoundFile[] | undefined;
  let checked: string | undefined;
  return async ({ agent, revision: { revision_id, files } }, signal) => {
    if (files === undefined || revision_id === checked) return;
    found ??= await findFiles(parseJson(body), signal);
    if (found.length > 0) requireTaken(agent.ref, found, await takenFiles(db, files));
    checked = revision_id;
  };
}

/** What an agent takes whose agent.yaml lists these types. */
export async function takenFiles(db: Reader, types: readonly string[]): Promise<TakenFiles> {
  const { message_file_mb } = await settings(db);
  return {
    types: [...types],
    max_bytes: message_file_mb * mebibyte,
    max_files: most_files,
    max_message_bytes: most_message_mb * mebibyte,
  };
}

function requireTaken(ref: string, found: readonly FoundFile[], taken: TakenFiles): void {
  const faults = [...faultsOf(found, taken)];
  const [first] = faults;
  if (first === undefined) return;
  throw new Problem('file_refused', {
    detail: `${ref}: ${first.message}`,
    hint: 'Which files an agent takes: `files` of its agent.yaml, and GET /agents/<name>/input.',
    errors: faults,
  });
}

/** The first ones. */
function* faultsOf(found: readonly FoundFile[], taken: TakenFiles): Generator<Fault> {
  let shown = 0;
  for (const { file, place } of found) {
    const message = whyNotTaken(file, taken);
    if (message === undefined) continue;
    yield { pointer: printPlace(place), message };
    if (++shown === most_shown) return;
  }
  if (shown > 0) return;
  // What a file is in is the content of its message.
  for (const [message, files] of Map.groupBy(found, ({ place }) => place.above)) {
    const sizes = files.map(({ file: { base64 = '' } }) => bytesOf(base64));
    const tooMuch = whyTooMuch(sizes, taken);
    if (tooMuch === undefined) continue;
    yield { pointer: message === undefined ? '' : printPlace(message), message: tooMuch };
    if (++shown === most_shown) return;
  }
}
