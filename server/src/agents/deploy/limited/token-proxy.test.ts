// The proxy on the database of a deployed agent. e2e/kubernetes/egress.test.ts has real pods.
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { runEvents } from '../../../ground/runs/events.ts';
import { startWorker, type Worker } from '../../../ground/runs/worker.ts';
import { openAddressCheck } from '../../../ground/outbound/outbound.ts';
import type { ForwardProxy } from '../../../assets/docker/forward-proxy.ts';
import { openDeployStage, type DeployStage } from '../../../testing/agents/deploy-stage.ts';
import { deploy } from '../deploy.ts';
import { deployKind } from '../deploy-kind.ts';
import type { RefusedEgress } from '../targets/open-destination.ts';
import { egressToken } from './egress-token.ts';
import { startTokenProxy } from './token-proxy.ts';

let stage: DeployStage;
let worker: Worker;
let proxy: ForwardProxy;
let outside: Server;
let port = 0;
const refused: RefusedEgress[] = [];

beforeAll(async () => {
  stage = await openDeployStage();
  const errors = () => {};
  worker = await startWorker(
    stage.database.db,
    { deploy: deployKind(stage.parts) },
    { owner: 'test', onError: errors },
  );
  outside = createServer((asked, answer) => answer.end(JSON.stringify(asked.headers))).listen(0, '127.0.0.1');
  await once(outside, 'listening');
  ({ port } = outside.address() as AddressInfo); // it listens on TCP
  proxy = await startTokenProxy({
    db: stage.database.db,
    ingress_key: stage.parts.ingress_key,
    address: '127.0.0.1',
    port: 0,
    checkAddresses: openAddressCheck({ private_hosts: ['127.0.0.1'] }),
    onRefused: (one) => refused.push(one),
    onClosed: () => {},
  });
});
afterAll(async () => {
  await worker?.stop();
  await proxy?.close();
  outside?.close();
  await stage?.close();
});
beforeEach(() => void refused.splice(0));

/** The revision of an agent with these destinations. */
async function deployed(egress: string[] | undefined): Promise<string> {
  const yaml = egress === undefined ? '' : `deploy: {egress: ${JSON.stringify(egress)}}\n`;
  const { ref } = await stage.push({ yaml });
  const { id } = await deploy(stage.parts, await stage.cast.caller('root'), { ref, force: true });
  for await (const _ of runEvents(stage.database.db, id, 0, AbortSignal.timeout(20_000)));
  return id;
}

async function get(credential: string | undefined): Promise<{ status: number; body: string }> {
  const authorization = credential && `Basic ${Buffer.from(credential).toString('base64')}`;
  const asking = request({
    host: '127.0.0.1',
    port: proxy.port,
    path: `http://127.0.0.1:${port}/`,
    ...(authorization !== undefined && { headers: { 'proxy-authorization': authorization } }),
  }).end();
  const [answer] = (await once(asking, 'response')) as [IncomingMessage]; // as Node documents it
  let body = '';
  for await (const chunk of answer) body += String(chunk);
  return { status: answer.statusCode ?? 0, body };
}

const credentialOf = (revision_id: string, of = revision_id) =>
  `${revision_id}:${egressToken(stage.parts.ingress_key, of)}`;

test('T582: the token of a revision opens its own destinations, and no other token does', async () => {
  const [listed, other] = [await deployed([`127.0.0.1:${port}`]), await deployed(['example.com:443'])];
  const answer = await get(credentialOf(listed));
  expect(answer.status).toBe(200);
  // The destination does not see it.
  expect(answer.body).not.toContain('authorization');
  for (const credential of [undefined, '', ':', listed, credentialOf(listed, other), `${listed}:x`, `${listed}:`])
    expect(await get(credential)).toMatchObject({ status: 407 });
  expect(await get(credentialOf(other))).toMatchObject({ status: 403 });
  expect(refused).toMatchObject([{ revision_id: other, destination: `127.0.0.1:${port}` }]);
});

test('a revision without limits has no destinations here, and neither has one that is not deployed', async () => {
  await stage.cast.write('org', sql`update org set agent_egress = 'open' returning id`);
  expect(await get(credentialOf(await deployed(undefined)))).toMatchObject({ status: 403 });
  expect(await get(credentialOf('0a1b2c3d-0000-4000-8000-000000000000'))).toMatchObject({ status: 403 });
  expect(await get(credentialOf('no uuid'))).toMatchObject({ status: 403 });
});
