import { defineCommand, required } from '../../command.ts';
import { good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'clients revoke',
  summary: 'End what a program does for you: all its tokens, at once',
  needs: 'client.change',
  examples: [
    'svc clients revoke 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10',
    'svc clients revoke 0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10 --json',
  ],
  arguments: { id: required('The id of the program: svc clients') },
  flags: {},
  async run({ id }, session) {
    await session.call('clients.remove', { params: { id } });
    return { data: { id }, view: [line(good('✓ '), 'The program no longer acts for you')] };
  },
});
