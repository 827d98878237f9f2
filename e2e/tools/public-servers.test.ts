// Public MCP servers, unmodified: each is created, looked at and pinned with svc, and called by the clients of others.
import { Client, StreamableHTTPClientTransport } from '../../server/src/testing/servers/mcp-client.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { install, type OwnInstallation } from '../installation.ts';
import { hosted_servers } from './public-servers.ts';

let gantry: OwnInstallation;
beforeAll(async () => {
  gantry = await install();
  await gantry.must('svc team create ml');
});
afterAll(async () => await gantry?.stop());

async function connected(server: string): Promise<Client> {
  const client = new Client({ name: 'editor', version: '1.0.0' });
  const headers = { authorization: `Bearer ${await gantry.token()}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${gantry.url}/mcp/${server}`), { requestInit: { headers } }),
  );
  return client;
}

test.each(hosted_servers)('$name is pinned, and does its work for a person', async ({ name, config, calls }) => {
  await gantry.must(`svc registry mcp-server create ${name} --team ml --config '${JSON.stringify(config)}'`);
  await gantry.must(`svc mcp look ${name}`);
  const pinned = await gantry.must(`svc mcp pin ${name} --yes`);
  expect(pinned.output).toMatch(new RegExp(`Agents may call \\d+ tools? of mcp-servers/${name}@1\\.0\\.0`));
  const client = await connected(name);
  try {
    for (const { tool, arguments: given, answer } of calls) {
      const result = await client.callTool({ name: tool, arguments: given });
      expect(JSON.stringify(result.content)).toMatch(answer);
      expect(result.isError ?? false).toBe(false);
    }
  } finally {
    await client.close();
  }
});
