import { defineCommand } from '../../command.ts';
import { runServerProgram } from '../../server/server-process.ts';
import { count } from '../../view/count.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'server migrate',
  summary: 'Migrate the database as its owner, without starting the service; services that wait for it then begin',
  needs: 'this machine',
  examples: ['svc server migrate', 'svc server migrate --json'],
  arguments: {},
  flags: {},
  async run(_input, session) {
    // It reports, so it may take as long as it needs.
    const printed = await runServerProgram(session, ['migrate'], { onLine: () => {} });
    const { migrations } = JSON.parse(printed) as { migrations: string[] }; // the output of `migrate`
    const sentence =
      migrations.length === 0
        ? 'The database has every migration'
        : `The database has ${count(migrations.length, 'new migration')}`;
    return { data: { migrations }, view: [line(good('✓ '), sentence)], next: [] };
  },
});
