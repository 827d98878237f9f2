// An example → a new project: the same files, with their own name, team and model.
import { isMap, isScalar, parseDocument } from 'yaml';

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
  const document = parseDocument(yaml);
  document.set('name', name);
  document.set('team', team);
  document.delete('owner');
  if (model !== undefined && document.has('model')) document.setIn(['model', 'primary'], model);
  else if (model !== undefined && isMap(document.contents)) {
    const { items } = document.contents;
    const at = items.findIndex(({ key }) => isScalar(key) && key.value === 'deploy');
    items.splice(at < 0 ? items.length : at, 0, document.createPair('model', { primary: model }));
  }
  return schemaLine(server) + document.toString({ lineWidth: 0 });
}

/** The first line of an agent.yaml: the schema's address, for editors. */
export function schemaLine(server: string): string {
  return `# yaml-language-server: $schema=${server}/api/v1/schemas/agent.json\n`;
}
