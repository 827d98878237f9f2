import { open, rename } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { chains } from '@gantry/contract/audit/audit.ts';
import type { ExportLine } from '@gantry/contract/audit/audit-stream.ts';
import { printJsonLine } from '@gantry/contract/formats/json-lines.ts';
import { choice, defineCommand, text } from '../../command.ts';
import { misuse, CliRefusal } from '../../refusal.ts';
import { isPassing } from '../../run/is-passing.ts';
import { good, line, strong } from '../../view/view.ts';

export const command = defineCommand({
  words: 'audit export',
  summary: 'Export the log as lines of JSON that can be verified alone; continues after an earlier export',
  needs: 'audit.export',
  examples: [
    'svc audit export --out audit.ndjson',
    'svc audit export --since-cursor "$(tail -n 1 audit.ndjson | jq -r .cursor)" --out audit-2.ndjson',
  ],
  arguments: {},
  flags: {
    chain: choice('Only this chain', chains),
    sinceCursor: text('The cursor from the last line of an earlier export', 'cursor'),
    out: text('A new file (default: stdout)', 'file'),
  },
  async run({ chain, sinceCursor: since_cursor, out }, session) {
    if (out !== undefined && existsSync(out))
      throw misuse(`${out} already exists`, 'Name another file: an export never overwrites an earlier one.');
    const query = {
      ...(chain === undefined ? {} : { chain }),
      ...(since_cursor === undefined ? {} : { since_cursor }),
    };
    const lines = await session.call('audit.export', { query });
    if (out === undefined) {
      await writeOut(lines, async (text) => session.output.line(text.trimEnd()));
      return { data: undefined, view: [] };
    }
    const { cursor, entries } = await writeFile(out, lines);
    return {
      data: { file: out, entries, cursor },
      view: [
        line(good('✓ '), `${entries} entr${entries === 1 ? 'y' : 'ies'} in ${out}`),
        line('cursor  ', strong(cursor)),
      ],
      next: [{ command: `svc audit export --since-cursor ${cursor}`, when: 'for later entries' }],
    };
  },
});

/** A file with its final name is complete; an interrupted one is left as `<file>.part`. */
async function writeFile(out: string, lines: AsyncIterable<ExportLine>) {
  await using file = await open(`${out}.part`, 'w', 0o600);
  const written = await writeOut(lines, async (text) => void (await file.write(text)));
  await file.sync();
  await rename(`${out}.part`, out);
  return written;
}

async function writeOut(lines: AsyncIterable<ExportLine>, write: (text: string) => Promise<void>) {
  let entries = 0;
  let cursor: string | undefined;
  try {
    for await (const each of lines) {
      await write(printJsonLine(each));
      if (each.kind === 'entry') entries += 1;
      if (each.kind === 'cursor') cursor = each.cursor;
    }
  } catch (error) {
    if (!isPassing(error)) throw error;
  }
  if (cursor === undefined)
    throw new CliRefusal('export_incomplete', `The export ended early, after ${entries} entries`, {
      hint: 'Run the same command again: entries can come twice, but none is missing.',
    });
  return { entries, cursor };
}
