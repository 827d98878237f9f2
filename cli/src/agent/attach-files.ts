// Files beside a text to an agent. What the agent does not take is refused before it is sent, in the words of the service.
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { readFilePart } from '@gantry/contract/agents/files/file-part.ts';
import { contentWith, printFilePart, type NamedFile } from '@gantry/contract/agents/files/print-file-part.ts';
import {
  typesOf,
  whyNotOffered,
  whyNotTaken,
  whyTooMuch,
  type TakenFiles,
} from '@gantry/contract/agents/files/taken-files.ts';
import { typeOfName } from '@gantry/contract/agents/files/type-of-name.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { inputFields } from '@gantry/project/input/input-fields.ts';
import { misuse } from '../refusal.ts';
import type { Session } from '../session/session.ts';

/** The input of an agent that takes messages: one message with the text and the files. */
export async function inputWithFiles(
  session: Session,
  { name, text, files }: { name: string; text: string; files: readonly string[] },
): Promise<Record<string, unknown>> {
  const { input_schema, files: taken } = await session.call('invoke.input', { params: { name } });
  const [only, ...others] = inputFields(input_schema);
  if (only?.isConversation !== true || others.length > 0)
    throw misuse(`${name} takes no messages, so a file has no place in its input`);
  // A service of an earlier release says nothing.
  if (taken === undefined || taken === null)
    throw new Problem('file_refused', {
      detail: `${name} does not say which files it takes.`,
      hint: 'Its agent.yaml says so under `files`: files: [image/png, application/pdf]',
    });
  if (taken.types.length === 0) throw new Problem('file_refused', { detail: typesOf([]) });
  const read = files.map((file) => readNamed(file, taken));
  const tooMuch = whyTooMuch(
    read.map(({ bytes }) => bytes),
    taken,
  );
  if (tooMuch !== undefined) throw new Problem('file_refused', { detail: tooMuch });
  return { [only.name]: [{ role: 'user', content: contentWith(text, read) }] };
}

function readNamed(file: string, taken: TakenFiles): NamedFile & { bytes: number } {
  const name = path.basename(file);
  const media_type = typeOfName(name);
  const bytes = sizeOfFile(file);
  const refused = whyNotOffered({ name, media_type, bytes }, taken);
  if (refused !== undefined || media_type === undefined)
    throw new Problem('file_refused', { detail: refused ?? typesOf(taken.types) });
  const named = { name, media_type, base64: readFileSync(file).toString('base64') };
  const part = readFilePart(printFilePart(named));
  const why = part === undefined ? undefined : whyNotTaken(part, taken);
  if (why !== undefined) throw new Problem('file_refused', { detail: why });
  return { ...named, bytes };
}

function sizeOfFile(file: string): number {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) throw misuse(`There is no file ${file}`);
  if (!found.isFile()) throw misuse(`${file} is no file`);
  return found.size;
}
