/** Each container of each agent with the skill has all of it. */
export const skillLimits = { bytes: 10_000_000, files: 1000, skill_md_bytes: 500_000 } as const;

export const skill_file = 'SKILL.md';
