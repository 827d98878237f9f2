import { defineCommand } from '../command.ts';
import { fields, good, line, link, verbatim } from '../view/view.ts';

export const command = defineCommand({
  words: 'quickstart',
  summary: 'From nothing to an answering agent: admin, service, session, example, first call',
  needs: 'this machine',
  examples: ['svc quickstart', 'svc quickstart --json'],
  arguments: {},
  flags: {},
  async run(_input, session) {
    const { quickstart } = await import('../quickstart.ts');
    const { describeAnswer } = await import('../agent/invocation.ts');
    const done = await quickstart(session);
    return {
      data: done,
      view: [
        line(''),
        line(good('✓ '), `${done.agent} answers:`),
        ...describeAnswer(done.answer),
        line(''),
        fields({
          Console: link(done.url),
          Agent: link(done.endpoint ?? ''),
          Admin: done.admin_email,
          Password: done.password_file,
        }),
        verbatim(''),
      ],
      next: [
        { command: `svc invoke ${done.agent} '{"message":"I am Grace"}'`, when: 'to call it yourself' },
        { command: 'svc init my-agent --framework langgraph', when: 'to create your own' },
        { command: 'svc open', when: 'for the address of the console' },
        { command: 'svc audit --since 1d', when: 'to read the audit log' },
      ],
    };
  },
});
