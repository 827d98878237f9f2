// Figures of the cluster beside those of `local`, in turns, in one run: docs/reference/long-tests.md.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '@gantry/contract/client/client.ts';
import { sql } from '../../../server/src/ground/database/sql.ts';
import { followed } from '../../../server/src/testing/agents/host-teller.ts';
import { testCluster } from '../../kubernetes/cluster.ts';
import { prober, type Prober } from '../../kubernetes/prober.ts';
import { openTargetStage, type TargetStage } from '../../kubernetes/target-stage.ts';

const cluster = testCluster();
const targets = ['local', 'cluster'] as const;
const done = { state: 'done', problem: null };
const rounds = 3;
const clients = 8;
const seconds_of_calls = 10;
const agents = new Map<string, Prober>();
const figures = new Map<string, Record<string, number[]>>();
let stage: TargetStage;
let admin: Client;

beforeAll(async () => {
  stage = await openTargetStage(cluster);
  admin = stage.app.admin.client;
  await stage.app.governed(sql`update org set agent_egress = 'open' returning id`);
  await admin.call('teams.create', { body: { name: 'ml' } });
  const config = stage.config as Record<string, never>; // any JSON, as from a client
  await admin.call('registry.create', { params: { kind: 'target' }, body: { name: 'cluster', team: 'ml', config } });
  await admin.call('targets.set_credential', { params: { name: 'cluster' }, body: { token: stage.token } });
});
afterAll(async () => {
  await stage?.stop();
  for (const [what, of] of figures)
    process.stdout.write(`${what}: ${targets.map((target) => `${target} ${said(of[target] ?? [])}`).join(', ')}\n`);
});

const said = (values: readonly number[]) => values.map((value) => value.toFixed(2)).join(' / ');

function note(what: string, target: string, value: number): void {
  const of = figures.get(what) ?? {};
  (of[target] ??= []).push(value);
  figures.set(what, of);
}

async function timed(what: string, target: string, work: () => Promise<unknown>): Promise<unknown> {
  const began = performance.now();
  const ended = await work();
  note(what, target, (performance.now() - began) / 1000);
  return ended;
}

const agentOn = (target: string): Prober => {
  const found = agents.get(target) ?? prober(admin, `on-${target}`);
  agents.set(target, found);
  return found;
};
const yaml = 'deploy: {scaling: {min: 0, max: 2}}\n';
const answer = async (target: string) => await agentOn(target).say({ do: 'repeat', value: 'here' });

async function deploy(what: string, target: string, version: string): Promise<unknown> {
  const agent = agentOn(target);
  const ref = await agent.push(version, yaml);
  return await timed(what, target, async () => await agent.deploy(ref, target));
}

test.each(targets)(
  'the first deploy to %s',
  async (target) => {
    expect(await deploy('first deploy, s', target, '1.0.0')).toMatchObject(done);
    expect(await answer(target)).toBe('here');
  },
  300_000,
);

test('redeploys, in turns', async () => {
  for (let round = 1; round <= rounds; round += 1)
    for (const target of targets) expect(await deploy('redeploy, s', target, `1.${round}.0`)).toMatchObject(done);
}, 600_000);

test('calls through the ingress, in turns', async () => {
  for (let round = 1; round <= rounds; round += 1)
    for (const target of targets) {
      const end = performance.now() + seconds_of_calls * 1000;
      let count = 0;
      const calling = Array.from({ length: clients }, async () => {
        while (performance.now() < end) {
          expect(await answer(target)).toBe('here');
          count += 1;
        }
      });
      await Promise.all(calling);
      note('calls in a second', target, count / seconds_of_calls);
    }
}, 200_000);

test('a call wakes an agent without an instance, in turns', async () => {
  for (let round = 1; round <= rounds; round += 1)
    for (const target of targets) {
      const scale = { params: { name: `on-${target}` }, body: { instances: 0 } };
      expect(await followed(admin, await admin.call('agents.scale', scale))).toMatchObject(done);
      expect(await timed('wake by a call, s', target, async () => await answer(target))).toBe('here');
    }
}, 600_000);
