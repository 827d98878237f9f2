import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { freshHome, runSvc, svcProgram } from '../testing/run-svc.ts';
import { list, problem, scriptService } from '../testing/scripted-service.ts';
import { completionScripts } from './scripts.ts';

const run = promisify(execFile);
const agent = (name: string) => ({ name, description: `about\u001b ${name}` });
const routes = {
  'GET /api/v1/registry/agent': list([agent('greeter'), agent('grader'), agent('other')]),
  'GET /api/v1/teams': list([{ name: 'ml', your_role: 'admin' }]),
  'GET /api/v1/rbac/approvals': list([
    { id: '64eee2ec-d29e-4c58-a19a-366813aca57c', asset: 'agents/x', asset_version: '1.0.0', status: 'pending' },
  ]),
};
// Far more than a service needs, even on a busy machine.
const env = (url: string) => ({ SVC_COMPLETE: '15', SERVICE_URL: url, SERVICE_API_TOKEN: 't' });

async function candidates(words: string[], url = 'http://127.0.0.1:1', more = {}): Promise<string[]> {
  const { exit, stdout, stderr } = await runSvc(words, { home: freshHome(), env: { ...env(url), ...more } });
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  return stdout.split('\n').flatMap((line) => line.split('\t')[0] || []);
}

test.each([
  [['dep'], ['deploy', 'deployments']],
  [
    ['team', ''],
    ['list', 'show', 'create', 'add', 'remove', 'delete', 'budget'],
  ],
  [
    ['audit', 'ver'],
    ['verify', 'verifier'],
  ],
  [['registry', 'tool', 'pub'], ['publish']],
  [['deploy', '--p'], ['--plan']],
  [
    ['deploy', '--wait'],
    ['--wait', '--wait-approval'],
  ],
  [
    ['deploy', '--bump', ''],
    ['major', 'minor', 'patch'],
  ],
  [['--json', 'completion', 'z'], ['zsh']],
  [['invoke', 'greeter', '--thread', ''], []],
  [['nonsense', ''], []],
])('%j becomes %j without a service', async (words, expected) => {
  expect(await candidates(words)).toEqual(expected);
});

test.each([
  [
    ['invoke', 'gr'],
    ['greeter', 'grader'],
  ],
  [['logs', '--tail', '5', 'o'], ['other']],
  [['registry', 'agent', 'show', 'gre'], ['greeter']],
  [['team', 'show', ''], ['ml']],
  [['deploy', '--team', ''], ['ml']],
  [['review', 'approve', '64'], ['64eee2ec-d29e-4c58-a19a-366813aca57c']],
])('%j becomes %j, with names from the service', async (words, expected) => {
  await using service = await scriptService(routes);
  expect(await candidates(words, service.url)).toEqual(expected);
});

test('a service that refuses, or does not answer, has no names and prints no error', async () => {
  expect(await candidates(['invoke', ''])).toEqual([]);
  await using refusing = await scriptService({
    'GET /api/v1/registry/agent': problem(403, 'forbidden', 'You may not'),
  });
  expect(await candidates(['invoke', ''], refusing.url)).toEqual([]);
  await using silent = await scriptService({ 'GET /api/v1/registry/agent': () => {} });
  expect(await candidates(['invoke', ''], silent.url, { SVC_COMPLETE: '1' })).toEqual([]);
});

test('the description of a name cannot control the terminal', async () => {
  await using service = await scriptService(routes);
  const { stdout } = await runSvc(['invoke', 'gre'], { home: freshHome(), env: env(service.url) });
  expect(stdout).toBe('greeter\tabout\\u{1b} greeter\n');
});

// A shell with only svc's script, and its completions of the line.
const drivers = {
  bash: (words: string[]) =>
    `eval "$script"; COMP_WORDS=(${words.map(quote).join(' ')}); COMP_CWORD=${words.length - 1}; _svc; printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: (words: string[]) =>
    `compdef() { : }; _files() { : }; _describe() { print -l -- "\${(@P)2%%:*}" }; eval "$script"; words=(${words.map(quote).join(' ')}); CURRENT=${words.length}; _svc`,
  fish: (words: string[]) => `echo "$script" | source; complete -C "${words.join(' ')}" | string replace -r '\\t.*' ''`,
} as const;
const quote = (word: string): string => `'${word}'`;
const shellOf = {
  bash: ['bash', '--norc', '-c'],
  zsh: ['zsh', '-f', '-c'],
  fish: ['fish', '--no-config', '-c'],
} as const;

let bin: string;
beforeAll(() => {
  bin = path.join(freshHome(), 'bin');
  mkdirSync(bin);
  symlinkSync(svcProgram, path.join(bin, 'svc'));
});

test.each(Object.keys(drivers) as (keyof typeof drivers)[])(
  '%s offers them, and runs no word of the line',
  async (shell) => {
    await using service = await scriptService(routes);
    const home = freshHome();
    const given = {
      ...env(service.url),
      HOME: home,
      script: completionScripts[shell].replace('COMPLETE=2', 'COMPLETE=15'),
    };
    const offered = async (words: string[]): Promise<string[]> => {
      const [program, ...flags] = shellOf[shell];
      const { stdout } = await run(program, [...flags, drivers[shell](words)], {
        cwd: home,
        env: { ...given, PATH: `${bin}:${path.dirname(process.execPath)}:/usr/bin:/bin`, SVC_COMPLETE: '' },
      });
      return stdout.split('\n').filter((line) => line !== '');
    };
    expect((await offered(['svc', 'invoke', 'gr'])).toSorted()).toEqual(['grader', 'greeter']);
    expect(await offered(['svc', 'deploy', '--pl'])).toEqual(['--plan']);
    if (shell !== 'fish') {
      await offered(['svc', 'invoke', '$(touch typed)', '; touch typed', '`touch typed`', '']);
      await expect(run('ls', [path.join(home, 'typed')])).rejects.toThrow('No such file');
    }
  },
);
