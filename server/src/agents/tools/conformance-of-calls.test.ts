// The protocol's own conformance suite against the service as a client, in both generations: the service looks at each server of the suite, pins its
// tools and calls them for a person. Each exception is named here, with its reason.
import { spawn } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { json, text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { conformancePerson, type Task } from '../../testing/agents/conformance-person.ts';
import { testApp, type TestApp } from '../../testing/test-app.ts';

const program = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));
const command = fileURLToPath(import.meta.resolve('../../testing/agents/conformance-client.ts'));

const extension =
  'it is an extension of the protocol, for programs without a person, and the service calls these servers for a person';
/** What fails of a scenario, with the reason. `failed` counts warnings too. */
const exceptions: Record<string, { failed: number; reason: string }> = {
  'auth/basic-cimd': {
    failed: 1,
    reason: 'the suite takes one fixed address as client id, and that of the service is of its own document',
  },
  'auth/client-credentials-jwt': { failed: 2, reason: extension },
  'auth/client-credentials-basic': { failed: 2, reason: extension },
  'auth/wif-jwt-bearer': { failed: 1, reason: extension },
  'auth/enterprise-managed-authorization': {
    failed: 2,
    reason:
      'it is an extension of the protocol, and the service keeps no token of the identity provider that it could exchange',
  },
  'auth/dpop': { failed: 3, reason: 'it is an extension of the protocol, and the service sends bearer tokens alone' },
  'auth/dpop-nonce': {
    failed: 5,
    reason: 'it is an extension of the protocol, and the service sends bearer tokens alone',
  },
};
const revisions = [
  {
    revision: '2025-11-25',
    scenarios: 25,
    expected: {
      ...exceptions,
      'elicitation-sep1034-client-defaults': {
        failed: 1,
        reason:
          'a question is answered with cancel until the person has answered it, and the same call then gets the values',
      },
    },
  },
  { revision: '2026-07-28', scenarios: 39, expected: exceptions },
];

let app: TestApp;
let driver: Server;
let begun: Promise<unknown> = Promise.resolve();
let onArrival = () => {};
beforeAll(async () => {
  app = await testApp({ config: { outbound_private_hosts: ['localhost', '127.0.0.1'] } });
  const { perform } = conformancePerson(app, await app.user('ada@example.com', { teams: { ml: 'admin' } }));
  driver = createServer((request, response) => {
    const task = begun.then(async () => await perform((await json(request)) as Task)); // conformance-client.ts sends it
    begun = task.catch(() => undefined); // The suite has the error.
    onArrival();
    void task.then(
      () => response.end(),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((listening) => driver.listen(0, '127.0.0.1', listening));
});
afterAll(async () => {
  driver?.closeAllConnections();
  driver?.close();
  await app?.stop();
});

test.each(revisions)(
  'the service conforms to $revision as a client',
  { timeout: 300_000 },
  async ({ revision, scenarios, expected }) => {
    begun = all(scenarios);
    const { port } = driver.address() as AddressInfo; // it listens on TCP
    const started = `${process.execPath} ${command} http://127.0.0.1:${port}/`;
    const words = ['client', '--command', started, '--requirements', revision, '--timeout', '240000'];
    const ran = spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
    const said = await text(ran.stdout);
    const results = [...said.matchAll(/^[✓✗] (\S+): \d+ passed, (\d+) failed(?:, (\d+) warnings)?$/gm)].map(
      ([, scenario = '', failed = 0, warnings = 0]) => ({ scenario, failed: Number(failed) + Number(warnings) }),
    );
    expect(results, said).toHaveLength(scenarios);
    const failed = results.filter((result) => result.failed > 0);
    expect(Object.fromEntries(failed.map((result) => [result.scenario, result.failed])), said).toEqual(
      Object.fromEntries(Object.entries(expected).map(([scenario, { failed }]) => [scenario, failed])),
    );
  },
);

/** The suite starts its commands at once, and the service works when they are there: then one task after the other. */
async function all(count: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let missing = count;
  onArrival = () => {
    missing -= 1;
    if (missing === 0) resolve();
  };
  await promise;
}
