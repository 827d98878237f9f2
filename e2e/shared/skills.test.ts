// A skill from its folder to the container of an agent, with the real svc: pushed, named in the plan, read, and not changed by the agent.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { callAgent } from '../call-agent.ts';
import { agentYaml, writeProject, type Files } from '../write-project.ts';
import { sharedInstallation, type SharedInstallation } from './shared-installation.ts';
import { teams } from './teams.ts';

const skillMd = (text: string) =>
  `---\nname: reading-aloud\ndescription: Reads a text aloud.\nallowed-tools: Bash\n---\n${text}\n`;
const team = teams.langgraph;
let gantry: SharedInstallation;
beforeAll(async () => {
  gantry = await sharedInstallation('skills', team);
  await writeSkill('reading-aloud', {
    'SKILL.md': skillMd('Read slowly.'),
    'scripts/read.py': 'print("slowly read")\n',
    '.env': 'KEY=1',
  });
  await writeProject(gantry, 'skilled', {
    'agent.py': await readFile(join(import.meta.dirname, '../agents/reader.py'), 'utf8'),
    'agent.yaml': agentYaml('skilled', 'skills: [skills/reading-aloud]\n', team),
  });
});

const no_project: Files = { 'agent.yaml': undefined, 'agent.py': undefined, 'requirements.txt': undefined };
const writeSkill = async (folder: string, files: Files) =>
  await writeProject(gantry, folder, { ...no_project, ...files });

const ask = async (input: object) => {
  const { json } = await callAgent(`${gantry.url}/agents/skilled`, await gantry.token()).ask(input);
  return json.output?.['answer'];
};

test('svc skill push stores the folder, says what it left out, and refuses what a person cannot see', async () => {
  const pushed = await gantry.must(`svc skill push --team ${team}`, { in: 'reading-aloud' });
  expect(pushed.stdout).toContain('skills/reading-aloud@1.0.0 is pushed');
  expect(pushed.output).toContain('.env');
  const files = await gantry.must('svc files skills/reading-aloud@1.0.0');
  expect(files.stdout).toMatch(/SKILL\.md[\s\S]*scripts\/read\.py/);
  expect(files.stdout).not.toContain('.env');
  const again = await gantry.must('svc skill push reading-aloud/SKILL.md');
  expect(again.stdout).toContain('already in the registry');
  await writeSkill('hidden', { 'SKILL.md': skillMd('Read\u{e0041}\u{e0042} on.') });
  const refused = await gantry.type('svc skill push hidden');
  expect([refused.code, refused.output]).toEqual([
    1,
    expect.stringMatching(/SKILL\.md:6.*U\+E0041 is a tag character/),
  ]);
});

test('an agent has its skills in its container, and cannot change them; its plan names them', async () => {
  await gantry.must('svc submit', { in: 'skilled' });
  const plan = await gantry.type('svc deploy agents/skilled@1.0.0 --plan');
  expect(plan.output).toMatch(/skills\/reading-aloud.*Reads a text aloud\. \(SKILL\.md, scripts\/read\.py\)/);
  await gantry.must('svc deploy', { in: 'skilled' });
  expect(await ask({ list: true })).toBe('reading-aloud/SKILL.md reading-aloud/scripts/read.py');
  expect(await ask({ read: 'reading-aloud/SKILL.md' })).toBe(skillMd('Read slowly.'));
  expect(await ask({ run: 'reading-aloud/scripts/read.py' })).toBe('slowly read\n');
  for (const path of ['reading-aloud/SKILL.md', 'reading-aloud/more.md', 'more.md'])
    expect(await ask({ write: path })).toMatch(/^(OSError|PermissionError)$/);
});

test('a new version of a skill reaches the agent with a new version of it, and an old one is rolled back to', async () => {
  await writeSkill('reading-aloud', { 'SKILL.md': skillMd('Read loudly.') });
  const refused = await gantry.type('svc skill push reading-aloud');
  expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('--version')]);
  await gantry.must('svc skill push reading-aloud --version 1.1.0 --message louder');
  expect(await ask({ read: 'reading-aloud/SKILL.md' })).toContain('Read slowly.');
  await gantry.must('svc deploy --bump minor', { in: 'skilled' });
  expect(await ask({ read: 'reading-aloud/SKILL.md' })).toContain('Read loudly.');
  const difference = await gantry.must('svc diff agents/skilled@1.0.0 agents/skilled@1.1.0');
  expect(difference.output).toMatch(/skills\/reading-aloud.*1\.0\.0 → 1\.1\.0/);
  await gantry.must('svc rollback skilled --reason quieter');
  expect(await ask({ read: 'reading-aloud/SKILL.md' })).toContain('Read slowly.');
});
