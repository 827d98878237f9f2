// Waits for a person at a real terminal: a deploy that runs, and one that needs an approval.
import { beforeAll, expect, test } from 'vitest';
import type { Client } from '@gantry/contract/client/client.ts';
import { adminOf, ended, latestDeployment, reached } from '../api.ts';
import type { Installation } from '../installation.ts';
import { atTerminal, key } from '../terminal.ts';
import { echo, writeProject } from '../write-project.ts';
import { sharedInstallation } from './shared-installation.ts';
import { teams } from './teams.ts';

let gantry: Installation;
let admin: Client;

beforeAll(async () => {
  gantry = await sharedInstallation('patient', teams.langgraph);
  admin = await adminOf(gantry);
});

test('Ctrl-C at a terminal asks: the deploy first detaches, and is cancelled from a second watch', async () => {
  await writeProject(gantry, 'dawdler', { 'agent.py': `import time\ntime.sleep(600)\n${echo}` });
  const deploying = await atTerminal(gantry, 'svc deploy', { in: 'dawdler' });
  await reached(admin, 'dawdler', 'start');
  deploying.press(key.interrupt);
  await deploying.shows('What should happen?');
  // Ctrl-C at the question itself ends nothing.
  deploying.press(key.interrupt);
  await deploying.shows('continues without this terminal');
  expect(await deploying.ended).toBe(0);
  const { id, state } = await latestDeployment(admin, 'dawdler');
  expect(state).toBe('running');

  const watching = await atTerminal(gantry, `svc deployments watch ${id}`);
  await watching.shows('6/8 start');
  watching.press(key.interrupt);
  await watching.shows('What should happen?');
  watching.press(key.down + key.enter);
  await watching.shows('was cancelled');
  expect(await watching.ended).toBe(1);
  expect(await ended(admin, 'dawdler')).toMatchObject({ id, state: 'cancelled' });
});

test('--wait-approval waits for the decision: an approved version is deployed, a rejected one is refused with the reason', async () => {
  for (const name of ['wim', 'wyn']) await gantry.person(name);
  await gantry.must(`svc team add ${gantry.team} user:wim@example.com --role contributor`);
  await gantry.must(`svc team add ${gantry.team} user:wyn@example.com --role deployer`);
  for (const [name, decision, code, said] of [
    ['singer', 'approve', 0, 'agents/singer@1.0.0 answers'],
    ['crow', 'reject', 1, 'was rejected: not this one'],
  ] as const) {
    await writeProject(gantry, name);
    await gantry.must('svc submit --message please', { as: 'wim', in: name });
    const waiting = await atTerminal(gantry, `svc deploy agents/${name}@1.0.0 --wait-approval`, { as: 'wyn' });
    await waiting.shows(`Waiting for the approval of agents/${name}@1.0.0`);
    const { items } = await admin.call('approvals.list', { query: { status: 'pending', asset: `agents/${name}` } });
    expect(await admin.call('deployments.list', { query: { agent: name, limit: 1 } })).toMatchObject({ items: [] });
    await gantry.must(`svc review ${decision} ${items[0]?.id} --reason "not this one"`);
    await waiting.shows(said);
    expect(await waiting.ended).toBe(code);
  }
});
