// What changes an agent beyond its versions: its secrets, its readers, its team, its end.
import { createClient, type Client } from '@gantry/contract/client/client.ts';
import type { AgentStatus } from '@gantry/contract/agents/deploy.ts';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectOf, type TestProject } from '../../server/src/testing/pushes/project-archive.ts';
import { ended } from '../api.ts';
import { callAgent } from '../call-agent.ts';
import { axeFindings } from './axe.ts';
import { openBrowser, settle, visit } from './browser.ts';
import { sharedStage } from './shared-stage.ts';

const stage = await sharedStage();
let browser: Browser;
let admin: Client;
let admin_token: string;

beforeAll(async () => {
  browser = await openBrowser();
  const guest = createClient({ base_url: stage.url });
  ({ access_token: admin_token } = await guest.call('auth.login', { body: stage.people.admin }));
  admin = createClient({ base_url: stage.url, token: () => admin_token });
});
afterAll(async () => await browser?.close());

const visitor = async (as: Parameters<typeof visit>[2]) =>
  await visit(browser, { gantry: stage, people: stage.people }, as);

/** It has the packages of the stage's agents, so none is resolved. */
async function push(project: TestProject & { name: string }): Promise<void> {
  const packages = await readFile('examples/langgraph-greeter/requirements.txt', 'utf8');
  const body = projectOf({ ...project, files: { 'requirements.txt': packages, ...project.files } });
  const { id } = await admin.call('agents.push', { params: { name: project.name }, body });
  const events = await Array.fromAsync(await admin.call('pushes.events', { params: { id } }));
  expect(events.at(-1)?.data.state).toBe('done');
}

const tellsToken = `import os
from typing import TypedDict
from langgraph.graph import END, START, StateGraph

class State(TypedDict, total=False):
    token: str

builder = StateGraph(State)
builder.add_node("tell", lambda state: {"token": os.environ["AC_TOKEN"]})
builder.add_edge(START, "tell")
builder.add_edge("tell", END)
graph = builder.compile()
`;

test('a replaced secret offers the restart of its agent, which then reads the new value', async () => {
  await push({
    name: 'ac-secret',
    yaml: 'deploy: {secrets: [AC_TOKEN]}\n',
    files: { 'agent.py': `${tellsToken}\nassert os.environ["AC_TOKEN"] != "a bad value"\n` },
  });
  await admin.call('secrets.set', { body: { name: 'AC_TOKEN', value: 'the first value', agent: 'ac-secret' } });
  await admin.call('deployments.create', { body: { ref: 'agents/ac-secret@1.0.0' } });
  expect((await ended(admin, 'ac-secret')).state).toBe('done');
  const tokenOf = async () =>
    (await callAgent(`${stage.url}/agents/ac-secret`, admin_token).ask({ token: '' })).json.output;

  const { page, open, faults, close } = await visitor('max');
  const replace = async (value: string, isRestarting: boolean) => {
    await page.getByRole('button', { name: 'Replace…' }).click();
    await page.getByLabel('Value', { exact: true }).fill(value);
    if (isRestarting) await page.getByLabel('Restart the agent now').check();
    await page.getByRole('button', { name: 'Set', exact: true }).click();
  };
  await open('/agents/ac-secret/secrets');
  await replace('the second value', false);
  await page.getByText('AC_TOKEN of agents/ac-secret is set').waitFor();
  expect(await tokenOf()).toEqual({ token: 'the first value' });
  await replace('the third value', true);
  await page.getByText('agents/ac-secret gets new containers with its present secrets').waitFor();
  expect((await ended(admin, 'ac-secret')).state).toBe('done');
  expect(await tokenOf()).toEqual({ token: 'the third value' });
  expect(faults).toEqual([]);
  await close();
});

test('a failed restart is on home with its reason, and is begun again from its page', async () => {
  const setToken = async (value: string) =>
    await admin.call('secrets.set', { body: { name: 'AC_TOKEN', value, agent: 'ac-secret' } });
  await setToken('a bad value');
  await admin.call('agents.restart', { params: { name: 'ac-secret' } });
  expect((await ended(admin, 'ac-secret')).state).toBe('failed');
  await setToken('a good value');
  const { page, open, faults, close } = await visitor('admin');
  await open('/');
  await page.getByRole('link', { name: 'Restart of ac-secret 1.0.0' }).click();
  await page.getByRole('alert').getByText('AssertionError').waitFor();
  await page.getByRole('button', { name: 'Restart again' }).click();
  await page.getByText('ac-secret 1.0.0 has new containers').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  expect((await admin.call('home.show', { query: {} })).failed_deployments.map(({ agent }) => agent)).not.toContain(
    'ac-secret',
  );
  expect(faults).toEqual([]);
  await close();
});

test('an agent on two targets shows both, and makes the other one the default', async () => {
  const { page, open, faults, close } = await visitor('admin');
  // The stage has one target. The service itself answers the change.
  const far = { target: 'far', revision: randomUUID(), version: '0.9.0', state: 'starting', is_default: false };
  await page.route('**/api/v1/agents/desk', async (route) => {
    const headers = { ...(await route.request().allHeaders()), 'sec-fetch-site': 'same-origin' };
    const response = await route.fetch({ headers });
    const json = (await response.json()) as { data: AgentStatus };
    await route.fulfill({ response, json: { data: { ...json.data, targets: [...json.data.targets, far] } } });
  });
  await open('/agents/desk');
  const targets = page.getByRole('table', { name: 'Targets' });
  await targets.getByRole('row', { name: /local.*serving.*default/ }).waitFor();
  const other = targets.getByRole('row', { name: /far.*starting.*0\.9\.0/ });
  expect(await axeFindings(page)).toEqual([]);
  await other.getByRole('button', { name: 'Make default' }).click();
  await page.getByText('agents/desk is not deployed on far.').waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('an agent is published, hidden and transferred, each with its undo, and deleted by its name', async () => {
  await push({ name: 'ac-moved' });
  await admin.call('teams.create', { body: { name: 'ac-team' } });
  const new_owner = stage.people.dora.email;
  await admin.call('teams.add_member', {
    params: { team: 'ac-team' },
    body: { principal: `user:${new_owner}`, role: 'contributor' },
  });
  const asset = async () => await admin.call('registry.show', { params: { kind: 'agent', name: 'ac-moved' } });
  const { team, owner, visibility } = await asset();

  const { page, open, faults, close } = await visitor('admin');
  await open('/agents/ac-moved');
  const choose = async (action: RegExp) => {
    await page.getByRole('button', { name: 'More about ac-moved' }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };
  const undo = async (receipt: string) => {
    const shown = page.getByRole('dialog').filter({ hasText: receipt });
    await shown.getByText(/audit governance\/\d+/).waitFor();
    await shown.getByRole('button', { name: 'Undo' }).click();
    await shown.waitFor({ state: 'detached' });
  };

  await choose(/^Publish/);
  await undo('agents/ac-moved is listed for the whole organisation');
  await expect.poll(async () => (await asset()).published).toBe(false);

  await choose(/^Visibility/);
  await page.getByLabel('Who may read it').selectOption('private');
  await page.getByRole('button', { name: 'Change visibility' }).click();
  await undo('agents/ac-moved is visible to only those with an entry of their own');
  await expect.poll(async () => (await asset()).visibility).toBe(visibility);

  await choose(/^Transfer/);
  await page.getByRole('textbox', { name: 'Team' }).fill('ac-team');
  await page.getByRole('textbox', { name: 'Owner' }).fill(new_owner);
  await page.getByRole('button', { name: 'Transfer', exact: true }).click();
  await page.getByText(`agents/ac-moved belongs to team ac-team, with ${new_owner} as its owner`).waitFor();
  await page.getByRole('link', { name: 'ac-team', exact: true }).waitFor();
  await undo('agents/ac-moved belongs to team ac-team');
  await expect.poll(async () => [(await asset()).team, (await asset()).owner]).toEqual([team, owner]);

  await choose(/^Delete/);
  const remove = page.getByRole('button', { name: 'Delete agents/ac-moved' });
  expect(await remove.isDisabled()).toBe(true);
  await page.getByLabel('Type ac-moved to confirm').fill('ac-moved');
  await remove.click();
  await page.waitForURL('**/agents');
  await page.getByText('agents/ac-moved is deleted').waitFor();
  await settle(page);
  expect(await page.getByRole('link', { name: 'ac-moved', exact: true }).count()).toBe(0);
  await expect(asset()).rejects.toMatchObject({ code: 'not_found' });
  expect(faults).toEqual([]);
  await close();
});

test('an agent goes back to an earlier version, restarts, stops, starts by the undo, and scales within its approved numbers', async () => {
  for (const version of ['1.0.0', '1.1.0']) {
    const yaml = 'deploy: {scaling: {max: 2}}\n';
    await push({ name: 'ac-back', version, yaml, files: { 'agent.py': `${tellsToken}# ${version}\n` } });
    await admin.call('deployments.create', { body: { ref: `agents/ac-back@${version}` } });
    expect((await ended(admin, 'ac-back')).state).toBe('done');
  }
  const { page, open, faults, close } = await visitor('admin');
  const choose = async (action: RegExp) => {
    await page.getByRole('button', { name: 'More about ac-back' }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };
  await open('/agents/ac-back/revisions');
  await page.getByRole('button', { name: 'What one can do with 1.0.0' }).click();
  await page.getByRole('menuitem', { name: /^Roll back to 1\.0\.0…/ }).click();
  await page.keyboard.press('Escape');
  await choose(/^Roll back…/);
  await page.getByLabel('Reason').fill('wrong answers');
  expect(await page.getByLabel('To version').inputValue()).toBe('1.0.0');
  await page.getByRole('button', { name: 'Roll back', exact: true }).click();
  await page.waitForURL('**/deployments/*');
  await page.getByRole('heading', { name: 'Rollback of ac-back to 1.0.0' }).waitFor();
  await page.getByText('ac-back 1.0.0 answers').waitFor();
  expect(await page.getByRole('list', { name: 'Steps' }).getByRole('listitem').count()).toBe(6);

  await open('/agents/ac-back/deployments');
  await page.getByRole('link', { name: 'Deploy of 1.1.0' }).click();
  await page.getByRole('button', { name: 'Roll back to 1.1.0…' }).waitFor();
  await open('/agents/ac-back/deployments');
  await choose(/^Restart/);
  await page.getByText('agents/ac-back gets new containers').waitFor();
  await page.getByRole('link', { name: 'Restart of 1.0.0' }).click();
  await page.getByText('ac-back 1.0.0 has new containers').waitFor();

  await open('/agents/ac-back');
  await choose(/^Stop/);
  const stopped = page.getByRole('dialog').filter({ hasText: 'agents/ac-back is stopped: its calls are refused' });
  await stopped.getByRole('button', { name: 'Undo' }).click();
  const operations = async () => {
    const { items } = await admin.call('deployments.list', { query: { agent: 'ac-back' } });
    return items.map(({ operation, state, problem }) => [operation, state, ...(problem === null ? [] : [problem])]);
  };
  // The undo waits for the end of the stop. A failed operation shows its problem.
  await expect.poll(async () => (await operations()).length, { timeout: 60_000 }).toBe(6);
  await ended(admin, 'ac-back');
  expect(await operations()).toEqual(
    ['start', 'stop', 'restart', 'rollback', 'deploy', 'deploy'].map((operation) => [operation, 'done']),
  );
  await page.getByText(/serving$/).waitFor();
  await choose(/^Scale…/);
  const count = page.getByRole('spinbutton', { name: 'Containers' });
  await page.getByText('Now 1. Version 1.0.0 is approved for 1 to 2.').waitFor();
  await count.fill('2');
  await page.getByRole('button', { name: 'Scale to 2 containers' }).click();
  await page.getByText('ac-back 1.0.0 has the wanted number of containers').waitFor();
  await open('/agents/ac-back');
  const instances = page.getByRole('table', { name: 'Instances' });
  await expect.poll(async () => await instances.getByText('●serving').count(), { timeout: 30_000 }).toBe(2);
  expect(faults).toEqual([]);
  await close();
}, 120_000);
