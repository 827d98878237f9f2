import { filesFromMap } from '@gantry/project/agent-project.ts';
import type { SkillConfig } from '@gantry/project/asset-config/skill.ts';
import { checkSkill } from '@gantry/project/skill/check-skill.ts';
import { projectInvalid } from '../project-invalid.ts';

/** The front matter of these files. Throws `project_invalid` with every fault. */
export function readSkill(files: ReadonlyMap<string, Uint8Array>, name: string): SkillConfig {
  const { config, findings } = checkSkill(filesFromMap(files), name);
  if (config !== undefined) return config;
  const errors = findings.filter(({ severity }) => severity === 'error');
  throw projectInvalid(errors, { hint: 'Fix them, and push the folder again: svc skill push <folder>' });
}
