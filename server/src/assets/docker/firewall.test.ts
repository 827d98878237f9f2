// A real shell and the machine's real filter table, on a chain of this test only.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { openFirewall, type Firewall } from './firewall.ts';

const run = promisify(execFile);
const chain = `SVC-TEST-${process.pid}`;
let firewall: Firewall | undefined;

afterEach(async () => {
  await firewall?.restore([`:${chain} - [0:0]`, `-X ${chain}`]);
  firewall?.close();
});

async function rules(): Promise<string[]> {
  const { stdout } = await run('iptables', ['-w', '5', '-S', chain]);
  return stdout.trim().split('\n').slice(1);
}

/** The child shells of a process. */
async function shellsOf(parent: number): Promise<number[]> {
  const found = await Promise.all(
    (await readdir('/proc')).filter(Number).map(async (pid) => {
      // A process may end during the loop.
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      return stat.includes('(sh)') && stat.slice(stat.lastIndexOf(')')).split(' ')[2] === String(parent)
        ? [Number(pid)]
        : [];
    }),
  );
  return found.flat();
}

test('either all lines take effect or none, and a failure gives its reason', async () => {
  firewall = openFirewall();
  expect(await firewall.restore([`:${chain} - [0:0]`, `-A ${chain} -j RETURN`])).toBe(true);
  expect(await firewall.restore([`:${chain} - [0:0]`, `-C ${chain} -j DROP`])).toBe(false);
  await expect(firewall.restore([`:${chain} - [0:0]`, `-A ${chain} -j NO-CHAIN`])).rejects.toThrow(/NO-CHAIN/);
  expect(await rules()).toEqual([`-A ${chain} -j RETURN`]);
});

test('the next rules replace a killed shell', async () => {
  firewall = openFirewall();
  const before = await shellsOf(process.pid);
  for (const pid of before) process.kill(pid, 'SIGKILL');
  const set = async () => await firewall?.restore([`:${chain} - [0:0]`, `-A ${chain} -j RETURN`]);
  // The service has not noticed the shell's end yet, so these rules are refused.
  await expect(set()).rejects.toThrow('the process that sets them ended');
  expect(await set()).toBe(true);
  expect(await rules()).toEqual([`-A ${chain} -j RETURN`]);
});

test('a killed service leaves no shell', async () => {
  const program = `
    const { openFirewall } = await import(${JSON.stringify(new URL('firewall.ts', import.meta.url).href)});
    const firewall = openFirewall();
    await firewall.restore([':${chain} - [0:0]', '-X ${chain}']);
    console.log('open');
    setInterval(() => {}, 1000);`;
  const service = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(createInterface({ input: service.stdout }), 'line');
  const [shell] = await shellsOf(service.pid ?? 0);
  expect(shell).toBeDefined();
  service.kill('SIGKILL');
  await once(service, 'exit');
  await expect.poll(async () => await readFile(`/proc/${shell}/cmdline`, 'utf8').catch(() => '')).toBe('');
});
