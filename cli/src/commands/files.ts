import { parseVersionRef } from '@gantry/contract/refs.ts';
import { defineCommand, optional, required } from '../command.ts';
import { CliRefusal, misuse } from '../refusal.ts';
import { table, verbatim } from '../view/view.ts';

export const command = defineCommand({
  words: 'files',
  summary: 'The files of a version, or the text of one of them',
  needs: 'asset.read',
  examples: [
    'svc files agents/greeter@1.0.0',
    'svc files agents/greeter@1.0.0 agent.yaml',
    'svc files skills/courtesy@1.0.0 SKILL.md',
  ],
  arguments: {
    version: required('agents/<name>@<version> or skills/<name>@<version>'),
    path: optional('A file; its text is for users with "write" on an agent, and for each reader of a skill'),
  },
  flags: {},
  async run({ version: given, path }, session) {
    const params = parseVersionRef(given);
    if (params === undefined)
      throw misuse(`"${given}" is not a version of an asset`, 'Write it like agents/greeter@1.0.0.');
    if (path === undefined) {
      const files = await session.call('registry.files', { params });
      const rows = files.map((file) => [file.path, file.bytes]);
      return { data: files, view: [table(['file', 'bytes'], rows, 'This version has no files, only a config.')] };
    }
    const file = await session.call('registry.show_file', { params, query: { path } });
    if (file.text === null) throw new CliRefusal('no_text', `${path} is ${reasons[file.no_text ?? 'too_large']}`);
    return { data: file, view: [verbatim(file.text.trimEnd())] };
  },
});

const reasons = { binary: 'not a text file', too_large: 'too long to show' } as const;
