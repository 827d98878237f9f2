import { commands, type Words } from '../../cli/src/commands.ts';
import type { Command, Input } from '../../cli/src/command.ts';
import { assetKinds } from '@gantry/contract/roles.ts';
import { describeNeeds } from '../../cli/src/program/needs.ts';
import type { Page } from '../page.ts';

/** Every command, from the client's own records. */
export async function commandsPage(): Promise<Page> {
  const sections = await Promise.all(
    (Object.keys(commands) as Words[]).filter(isShown).map(async (words) => section(await load(words))),
  );
  return {
    file: 'commands.md',
    text: `# Commands

Every command takes \`--json\` (data on stdout, one line with the next steps on stderr), \`--no-input\`, \`--server <url>\` and \`--team <name>\`. Exit codes: 0 done, 1 refused or failed, 2 used wrongly, 3 server not reached, 4 waits for a person or cannot be verified, 5 the plan has changes.

The commands of \`svc registry tool\` exist for every kind of asset: ${assetKinds.map((kind) => `\`${kind}\``).join(', ')}.

${sections.join('\n')}`,
  };
}

// One kind of asset represents all; agents, which are pushed, have their own edit command.
function isShown(words: Words): boolean {
  return !words.startsWith('registry ') || words.startsWith('registry tool ') || words === 'registry agent edit';
}

async function load(words: Words): Promise<Command> {
  // Each file exports one record under its own name.
  return Object.values(await commands[words]())[0] as unknown as Command;
}

function section(command: Command): string {
  const inputs = [
    ...Object.entries(command.arguments).map(([name, input]) => `- \`<${name}>\`: ${input.summary}`),
    ...Object.entries(command.flags).map(([name, input]) => `- \`${flag(name, input)}\`: ${input.summary}`),
  ];
  const list = inputs.length === 0 ? '' : `${inputs.join('\n')}\n\n`;
  return `## svc ${command.words}

${command.summary}. Needs ${describeNeeds(command.needs)}.

${list}\`\`\`
${command.examples.join('\n')}
\`\`\`
`;
}

function flag(name: string, { short, placeholder }: Input): string {
  const dashed = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  return `${short === undefined ? '' : `-${short}, `}${dashed}${placeholder === undefined ? '' : ` <${placeholder}>`}`;
}
