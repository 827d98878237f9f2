import { afterAll, beforeAll, expect, test } from 'vitest';
import { seedCast, type Cast } from '../../../testing/access/cast.ts';
import { startPushes, type Pushes } from '../../../testing/pushes/pushes.ts';
import { testDatabase, type TestDatabase } from '../../../testing/test-database.ts';

let database: TestDatabase;
let cast: Cast;
let pushes: Pushes;
beforeAll(async () => {
  database = await testDatabase();
  cast = await seedCast(database.db);
  pushes = await startPushes(database.db);
});
afterAll(async () => {
  await pushes?.stop();
  await database?.close();
});

const yaml = (expected: string) => `mcp_servers:
  - ref: mcp/bank
    rules:
      - {name: small, because: Small ones., allow: args.amount <= 100}
    rule_tests:
      - {call: {tool: transfer, args: {amount: 500}}, ${expected}}
`;

test('a push whose rules fail their tests is refused, with the line of each', async () => {
  const push = async (expected: string) => await pushes.push(await cast.caller('ada'), { yaml: yaml(expected) });
  await expect(push('allows: true')).rejects.toMatchObject({
    code: 'project_invalid',
    errors: [
      {
        file: 'agent.yaml',
        line: expect.any(Number) as number,
        pointer: '/mcp_servers/0/rule_tests/0',
        message: expect.stringContaining('transfer is refused by small, and the test wants it allowed') as string,
      },
    ],
  });
  // Its rules pass, and only its server is missing.
  expect(await push('refuses: small')).toMatchObject({ problem: { code: 'reference_missing' } });
});
