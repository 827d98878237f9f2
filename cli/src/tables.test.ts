// Three tables at a terminal of 80 columns. No id or reference is cut, and no line exceeds the terminal.
import { expect, test } from 'vitest';
import { runAtTerminal } from './testing/run-at-terminal.ts';
import { freshHome } from './testing/run-svc.ts';
import { list, scriptService } from './testing/scripted-service.ts';
import { widthOf } from './view/width.ts';

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000 - 5000).toISOString();

async function drawn(words: string[], path: string, items: object[]): Promise<string> {
  await using service = await scriptService({ [`GET ${path}`]: list(items) });
  const env = { SERVICE_URL: service.url, SERVICE_API_TOKEN: 't' };
  const { exit, screen } = await runAtTerminal(words, { home: freshHome(), env });
  expect(exit).toBe(0);
  // A next command stays on one line at any length, because people copy it.
  for (const line of screen.split('\n').filter((each) => !each.startsWith('next: ')))
    expect(widthOf(line)).toBeLessThanOrEqual(80);
  return screen;
}

test('svc review list at 80 columns', async () => {
  const request = {
    id: '64eee2ec-d29e-4c58-a19a-366813aca57c',
    asset: 'agents/support-assistant',
    asset_version: '1.12.0',
    target: 'local',
    status: 'pending',
    closed_reason: null,
    submitted_by: 'user:ada.lovelace@example.com',
    submitted_at: ago(3),
    message: 'Answers in the language of the question, and asks the knowledge base before it guesses.',
  };
  const short = { ...request, id: '0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10', asset_version: '1.2.0', message: '' };
  expect(await drawn(['review', 'list'], '/api/v1/rbac/approvals', [request, short])).toMatchInlineSnapshot(`
    "REQUEST                               STATUS   ASSET
    64eee2ec-d29e-4c58-a19a-366813aca57c  pending  agents/support-assistant@1.12.0
        target local  by user:ada.lovelace@example.com  submitted 3 min ago
        message Answers in the language of the question, and asks the knowledge base
        before it guesses.
    0190b2f4-6c1e-7a52-9f0e-2b7a1c9d4e10  pending  agents/support-assistant@1.2.0
        target local  by user:ada.lovelace@example.com  submitted 3 min ago
    next: svc review show 64eee2ec-d29e-4c58-a19a-366813aca57c  to see its changes
    "
  `);
});

test('svc audit at 80 columns', async () => {
  const entry = {
    chain: 'governance',
    seq: 1234,
    occurred_at: ago(12),
    event: 'approval.decided',
    outcome: 'done',
    actor: { name: 'user:ada.lovelace@example.com' },
    asset: 'agents/support-assistant',
    detail: { version: '1.12.0', decision: 'approved', reason: 'the tool list is as small as it can be' },
  };
  const refused = {
    ...entry,
    seq: 1233,
    event: 'refused',
    outcome: 'refused',
    asset: null,
    detail: { reason: 'This needs the role deployer' },
  };
  expect(await drawn(['audit'], '/api/v1/audit', [entry, refused])).toMatchInlineSnapshot(`
    "#                WHEN        WHAT
    governance/1234  12 min ago  user:ada.lovelace@example.com approved
                                 agents/support-assistant 1.12.0: the tool list is
                                 as small as it can be
    governance/1233  12 min ago  user:ada.lovelace@example.com was refused: This
                                 needs the role deployer
    "
  `);
  const long = await drawn(['audit', '--long'], '/api/v1/audit', [entry]);
  expect(long).toContain('approval.decided');
  expect(long).toContain('version=1.12.0 decision=approved');
});

test('svc acl list at 80 columns', async () => {
  const entry = {
    asset: 'agents/support-assistant',
    principal_type: 'user',
    principal_id: 'ada@example.com',
    actions: ['read', 'use', 'write', 'publish', 'deploy', 'admin'],
    created_at: ago(90),
  };
  const org = { ...entry, principal_type: 'org', principal_id: null, actions: ['read'] };
  expect(await drawn(['acl', 'list'], '/api/v1/rbac/permissions', [entry, org])).toMatchInlineSnapshot(`
    "ASSET                     WHO                   MAY                      SINCE
    agents/support-assistant  user:ada@example.com  read, use, write,        1 h ago
                                                    publish, deploy, admin
    agents/support-assistant  org                   read                     1 h ago
    "
  `);
});

test.each(['list', 'ps'])('svc %s at 80 columns', async (words) => {
  const agent = {
    name: 'support-assistant',
    state: 'serving',
    ref: 'agents/support-assistant@1.12.0',
    team: 'support',
    endpoint: 'http://127.0.0.1:4480/agents/support-assistant/invoke',
  };
  const never = { ...agent, name: 'greeter', state: 'not_deployed', ref: null, team: 'default', endpoint: null };
  expect(await drawn([words], '/api/v1/agents', [agent, never])).toBe(
    [
      'AGENT              STATE         VERSION  TEAM',
      'support-assistant  serving       1.12.0   support',
      '    endpoint http://127.0.0.1:4480/agents/support-assistant/invoke',
      'greeter            not_deployed  -        default',
      '',
    ].join('\n'),
  );
});
