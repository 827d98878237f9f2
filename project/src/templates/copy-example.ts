// An example → a new project: the same files, with their own name, team and model.
import { putFields } from '../agent-yaml/put-fields.ts';

export interface Identity {
  name: string;
  team: string;
  /** Undefined keeps the model of the example. */
  model?: string | undefined;
  server: string;
}

/** A text file of an example, as its copy has it. */
export function copyText(path: string, text: string, identity: Identity): string {
  if (path === 'agent.yaml') return renamed(text, identity);
  // The example shows a call of itself, and so does the copy.
  if (path === 'agent.py') return text.replaceAll(/svc invoke [a-z-]+/g, `svc invoke ${identity.name}`);
  return text;
}

/** The example's comments and order are kept. */
function renamed(yaml: string, { name, team, model, server }: Identity): string {
  const text = putFields(yaml, [
    { path: ['name'], value: name },
    { path: ['team'], value: team },
    { path: ['owner'], value: undefined },
    ...(model === undefined ? [] : [{ path: ['model', 'primary'] as const, value: model }]),
  ]);
  if (text === undefined) throw new Error('the agent.yaml of an example is not readable');
  return schemaLine(server) + text;
}

/** The first line of an agent.yaml: the schema's address, for editors. */
export function schemaLine(server: string): string {
  return `# yaml-language-server: $schema=${server}/api/v1/schemas/agent.json\n`;
}
