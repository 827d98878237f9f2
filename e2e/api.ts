import { createClient, type Client } from '@gantry/contract/client/client.ts';
import type { Deployment } from '@gantry/contract/agents/deploy.ts';
import { hasEnded } from '@gantry/contract/agents/run-states.ts';
import { expect } from 'vitest';
import type { Installation } from './installation.ts';

/** The typed client of the admin, for frequent calls of a test. A command for each would be too slow. */
export async function adminOf(gantry: Installation): Promise<Client> {
  const token = await gantry.token();
  return createClient({ base_url: gantry.url, token: () => token });
}

export async function latestDeployment(admin: Client, agent: string): Promise<Deployment> {
  const { items } = await admin.call('deployments.list', { query: { agent, limit: 1 } });
  if (items[0] === undefined) throw new Error(`${agent} was never deployed`);
  return items[0];
}

/** Waits until the newest deploy of the agent has reached the step. */
export async function reached(admin: Client, agent: string, step: string): Promise<Deployment> {
  const find = async () => (await latestDeployment(admin, agent)).steps.find(({ name }) => name === step)?.state;
  await expect.poll(find, { timeout: 90_000, interval: 50 }).toBe('running');
  return await latestDeployment(admin, agent);
}

/** Waits until the newest deploy of the agent has ended, and returns it. */
export async function ended(admin: Client, agent: string): Promise<Deployment> {
  const isOver = async () => hasEnded((await latestDeployment(admin, agent)).state);
  await expect.poll(isOver, { timeout: 120_000, interval: 100 }).toBe(true);
  return await latestDeployment(admin, agent);
}

export async function serving(admin: Client, agent: string): Promise<void> {
  const state = async () => (await admin.call('agents.status', { params: { name: agent } })).state;
  await expect.poll(state, { timeout: 90_000, interval: 100 }).toBe('serving');
}
