import type { SkillConfig } from '@gantry/project/asset-config/skill.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { versionPattern } from '@gantry/contract/refs.ts';

/** Without one, an unchanged folder is the version that exists already, and a changed one is refused: a person names the change. */
export function versionOfPush(
  asked: string | undefined,
  { metadata }: SkillConfig,
  newest: { version: string } | undefined,
): string {
  const written = asked ?? metadata?.['version'];
  if (written === undefined) return newest?.version ?? '1.0.0';
  if (versionPattern.test(written)) return written;
  throw new Problem('project_invalid', {
    detail: `SKILL.md: \`metadata.version\` is ${JSON.stringify(written.slice(0, 50))}, and a version is MAJOR.MINOR.PATCH.`,
    hint: 'Change it, or name the version: svc skill push <folder> --version 1.0.0',
    errors: [{ pointer: '/metadata/version', file: 'SKILL.md', message: 'must be MAJOR.MINOR.PATCH' }],
  });
}
