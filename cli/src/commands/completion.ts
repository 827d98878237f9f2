import { choice, defineCommand, needed } from '../command.ts';
import { completionScripts, shells } from '../completion/scripts.ts';
import { verbatim } from '../view/view.ts';

export const command = defineCommand({
  words: 'completion',
  summary: 'Completion for a shell: commands, flags, and the names of agents, teams, requests and deploys',
  needs: 'nothing',
  examples: ['svc completion bash', 'svc completion zsh', 'svc completion fish'],
  arguments: { shell: { ...needed(choice('The shell', shells)), required: true } },
  flags: {},
  async run({ shell }) {
    const script = completionScripts[shell];
    return { data: { script }, view: [verbatim(script)] };
  },
});
