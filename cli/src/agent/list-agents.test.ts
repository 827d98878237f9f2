import { expect, test } from 'vitest';
import { freshHome, runSvc } from '../testing/run-svc.ts';
import { list, scriptService } from '../testing/scripted-service.ts';

test('svc list asks for a state, words and a team, and refuses an unknown state without a request', async () => {
  await using service = await scriptService({ 'GET /api/v1/agents': list([]) });
  const settings = { home: freshHome(), env: { SERVICE_URL: service.url, SERVICE_API_TOKEN: 't' } };
  const found = await runSvc(['list', '--state', 'failed', '--text', 'two words', '--team', 'ml'], settings);
  expect(found.exit).toBe(0);
  expect(found.stdout).toContain('No agent that you may read fits.');
  const queries = () => service.asked.map(({ query }) => Object.fromEntries(new URLSearchParams(query)));
  expect(queries()).toContainEqual({ limit: '50', state: 'failed', text: 'two words', team: 'ml' });
  const asked = service.asked.length;
  const wrong = await runSvc(['list', '--state', 'broken'], settings);
  expect(wrong.exit).toBe(2);
  expect(wrong.stderr).toContain('--state must be one of serving, starting, asleep, stopped');
  expect(service.asked).toHaveLength(asked);
});
