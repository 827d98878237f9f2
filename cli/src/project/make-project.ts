// `svc init`: a copy of the framework's example, with its own name and team.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseDocument } from 'yaml';
import { leftOut } from '@gantry/contract/agent-project/left-out.ts';
import type { Framework } from '@gantry/contract/frameworks.ts';
import { namePattern } from '@gantry/contract/refs.ts';
import { misuse } from '../refusal.ts';
import type { Session } from '../session/session.ts';
import { schemaLine } from './schema-line.ts';
import { teamForProject } from './team-for-project.ts';

export interface MadeProject {
  directory: string;
  team: string;
  files: string[];
}

export async function makeProject(
  session: Session,
  { name, framework }: { name: string; framework: Framework },
): Promise<MadeProject> {
  if (!namePattern.test(name))
    throw misuse(
      `"${name}" cannot be the name of an agent`,
      'Use lower-case letters, digits and hyphens, starting with a letter, at most 63.',
    );
  const directory = path.resolve(name);
  if (existsSync(directory) && readdirSync(directory).length > 0)
    throw misuse(`${name}/ exists and is not empty`, 'Choose another name, or work in that directory.');
  const team = await teamForProject(session);
  copyExample(directory, framework, { name, team, server: session.server });
  return { directory, team, files: readdirSync(directory, { recursive: true, encoding: 'utf8' }).toSorted() };
}

interface Identity {
  name: string;
  team: string;
  server: string;
}

export function copyExample(directory: string, framework: Framework, identity: Identity): void {
  const template = fileURLToPath(new URL(`../../../examples/${framework}-greeter`, import.meta.url));
  mkdirSync(directory, { recursive: true });
  cpSync(template, directory, {
    recursive: true,
    filter: (source) =>
      source === template || leftOut(path.relative(template, source).replaceAll(path.sep, '/')) === undefined,
  });
  rewrite(path.join(directory, 'agent.yaml'), (yaml) => renamed(yaml, identity));
  // The example shows a call of itself, and so does the copy.
  rewrite(path.join(directory, 'agent.py'), (source) =>
    source.replaceAll(/svc invoke [a-z-]+/g, `svc invoke ${identity.name}`),
  );
}

/** The example's comments and order are kept. */
function renamed(yaml: string, { name, team, server }: Identity): string {
  const document = parseDocument(yaml);
  document.set('name', name);
  document.set('team', team);
  document.delete('owner');
  return schemaLine(server) + document.toString({ lineWidth: 0 });
}

function rewrite(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}
