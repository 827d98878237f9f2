import { z } from 'zod';
import { name, text } from '@gantry/contract/wire.ts';

/** The front matter of a SKILL.md, as the agent-skills format defines it. The files beside it are no part of the config. */
export const skill = z.strictObject({
  name: name.describe('The name of the skill, the same as in the registry'),
  description: text
    .max(1024)
    .refine((written) => written.trim() !== '', 'must be 1 to 1024 characters')
    .describe('What the skill does and when an agent needs it. Agents choose by it'),
  license: text.max(500).optional().describe('Its license, or the name of the file with it'),
  compatibility: text.max(500).optional().describe('What it needs around it, such as programs or the network'),
  metadata: z
    .record(z.string().max(100), text.max(1000))
    .optional()
    .describe('Further facts as texts. `version` is the version of a push that names none'),
  'allowed-tools': text
    .max(2000)
    .optional()
    .describe('The tools that it wants. It allows none: an agent has the tools of its agent.yaml'),
});
export type SkillConfig = z.output<typeof skill>;
