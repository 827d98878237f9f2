import { visibilities } from '@gantry/contract/roles.ts';
import { choice, defineCommand, optional, text } from '../../command.ts';
import type { Result } from '../../result.ts';
import { faint, good, line } from '../../view/view.ts';

export const command = defineCommand({
  words: 'skill push',
  summary: 'Store a folder with a SKILL.md as a version of a skill',
  needs: 'asset.write',
  examples: ['svc skill push ./invoice-rules --team ml', 'svc skill push ./invoice-rules --version 1.1.0'],
  arguments: { folder: optional('The folder of the skill, or its SKILL.md (default: this folder)') },
  flags: {
    version: text('The version (default: `metadata.version` of SKILL.md, or 1.0.0 for a new skill)', 'version'),
    message: text('What has changed', 'text'),
    visibility: choice('Of a new skill: who may read it, default org', visibilities),
    owner: text('Of a new skill: its owner (default: yourself)', 'e-mail'),
  },
  async run({ folder, ...wishes }, session): Promise<Result> {
    const { readSkillFolder } = await import('../../skill/read-skill-folder.ts');
    const { pushSkill } = await import('../../skill/push-skill.ts');
    const skill = readSkillFolder(folder);
    const data = await pushSkill(session, skill, wishes);
    const { ref, digest, unchanged, created, files } = data;
    const said = unchanged ? 'is already in the registry, with exactly this content' : 'is pushed';
    return {
      data,
      view: [
        line(good('✓ '), `${ref} ${said}`, faint(`  ${digest}`)),
        ...files.map(({ path, bytes }) => line(`  ${path}`, faint(`  ${bytes} bytes`))),
      ],
      ...(created ? { undo: `svc registry skill delete ${skill.name}` } : {}),
      next: [{ command: `skills: [skills/${skill.name}]`, when: 'in the agent.yaml of each agent that needs it' }],
    };
  },
});
