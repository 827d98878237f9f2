// `svc init`: a copy of a framework's example, with its own name, team and model.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { leftOut } from '@gantry/project/agent-project/left-out.ts';
import { copyText, type Identity } from '@gantry/project/templates/copy-example.ts';
import type { Framework } from '@gantry/project/frameworks.ts';
import { namePattern } from '@gantry/contract/refs.ts';
import { callsModel, type Template } from '@gantry/project/templates/templates.ts';
import { misuse } from '../refusal.ts';
import type { Session } from '../session/session.ts';
import { example_model, modelForProject } from './model-for-project.ts';
import { teamForProject } from './team-for-project.ts';
import { places } from '../places-of-files.ts';

export interface MadeProject {
  directory: string;
  team: string;
  /** Named in agent.yaml. Undefined: the agent may call each model of its team. */
  model: string | undefined;
  files: string[];
}

export interface NewProject extends Example {
  name: string;
  /** Undefined: the team's catalogue decides. */
  model: string | undefined;
}

export async function makeProject(
  session: Session,
  { name, framework, template, model }: NewProject,
): Promise<MadeProject> {
  if (!namePattern.test(name))
    throw misuse(
      `"${name}" cannot be the name of an agent`,
      'Use lower-case letters, digits and hyphens, starting with a letter, at most 63.',
    );
  if (model !== undefined && !callsModel(template))
    throw misuse(`A ${template} calls no model`, 'Leave --model out, or choose --template chat or research.');
  const directory = path.resolve(name);
  if (existsSync(directory) && readdirSync(directory).length > 0)
    throw misuse(`${name}/ exists and is not empty`, 'Choose another name, or work in that directory.');
  const team = await teamForProject(session);
  const named = model ?? (await modelForProject(session, { team, template }));
  copyExample(directory, { framework, template }, { name, team, model: named, server: session.server });
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).toSorted();
  return { directory, team, model: named ?? (callsModel(template) ? example_model : undefined), files };
}

interface Example {
  framework: Framework;
  template: Template;
}

export function copyExample(directory: string, { framework, template }: Example, identity: Identity): void {
  const example = path.join(places.examples, `${framework}-${template}`);
  mkdirSync(directory, { recursive: true });
  cpSync(example, directory, {
    recursive: true,
    filter: (source) =>
      source === example || leftOut(path.relative(example, source).replaceAll(path.sep, '/')) === undefined,
  });
  for (const file of ['agent.yaml', 'agent.py']) {
    const copy = path.join(directory, file);
    writeFileSync(copy, copyText(file, readFileSync(copy, 'utf8'), identity));
  }
}
