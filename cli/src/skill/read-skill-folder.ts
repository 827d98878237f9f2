import { statSync } from 'node:fs';
import path from 'node:path';
import { checkSkill } from '@gantry/project/skill/check-skill.ts';
import { skill_file } from '@gantry/project/skill/limits.ts';
import { readFolder, type LocalProject } from '../project/read-project.ts';
import { CliRefusal, misuse } from '../refusal.ts';

export interface LocalSkill extends LocalProject {
  name: string;
}

/** The folder, or the SKILL.md in it. Its refusal has every fault that the service would find. */
export function readSkillFolder(given = '.'): LocalSkill {
  const stat = statSync(given, { throwIfNoEntry: false });
  if (stat === undefined) throw misuse(`There is no ${given}`, `Give a folder with a ${skill_file}.`);
  if (!stat.isDirectory() && path.basename(given) !== skill_file)
    throw misuse(`${given} is not a folder`, `Give the folder with the ${skill_file}.`);
  const project = readFolder(path.resolve(stat.isDirectory() ? given : path.dirname(given)));
  const { config, findings } = checkSkill(project);
  if (config !== undefined) return { ...project, name: config.name };
  const faults = findings.filter(({ severity }) => severity === 'error');
  throw new CliRefusal('project_invalid', `This folder is not a skill yet: ${faults.length} faults`, {
    hint: 'Fix them, and push it again.',
    faults,
  });
}
