import { defineCommand, required, text, toggle } from '../../command.ts';
import { baseArgument } from '../../knowledge/asset.ts';
import { everyUpload } from '../../knowledge/every-upload.ts';
import { filesToUpload } from '../../knowledge/files-to-upload.ts';
import { sendFiles } from '../../knowledge/send-files.ts';
import { CliRefusal } from '../../refusal.ts';
import { bad, good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'kb upload',
  summary: 'Send a file, or the files of a folder, to a knowledge base; unchanged files are not sent again',
  needs: 'asset.write',
  examples: ['svc kb upload handbook ./docs --delete', 'svc kb upload handbook leave.md --under hr'],
  arguments: { base: baseArgument, path: required('The file or the folder; hidden files and links are left out') },
  flags: {
    under: text('The folder in the base', 'folder'),
    delete: toggle('Delete uploads below it that are not in the folder any more'),
  },
  async run({ base: name, path: given, under: folder, delete: deletes }, session) {
    const under = folder?.replace(/\/$/, '');
    const chosen = filesToUpload(given, under);
    const before = new Map((await everyUpload(session, name)).map(({ path, digest }) => [path, digest]));
    const { sent, unchanged, ...done } = await sendFiles(session, name, { files: chosen.files, before });
    const refused = [...chosen.refused, ...done.refused];
    const kept = new Set([...chosen.files, ...refused].map(({ path }) => path));
    const isBelow = (path: string) => under === undefined || path.startsWith(`${under}/`);
    const deleted = deletes ? [...before.keys()].filter((path) => isBelow(path) && !kept.has(path)) : [];
    for (const path of deleted) await session.call('knowledge.delete_upload', { params: { name }, query: { path } });
    const counts = `${sent.length} sent, ${unchanged.length} unchanged, ${deleted.length} deleted`;
    if (refused.length > 0)
      throw new CliRefusal('not_all_sent', `${refused.length} of ${kept.size} files were refused; ${counts}`, {
        view: refused.map(({ path, problem }) => line(bad(`not sent: ${path}: ${problem}`))),
        problem: { refused },
      });
    return {
      data: { sent, unchanged, deleted },
      view: [line(good('✓ '), counts)],
      next: [{ command: `svc kb refresh ${name}`, when: 'to read them' }],
    };
  },
});
