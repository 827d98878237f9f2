import { expect, test } from 'vitest';
import { createOutput } from '../output.ts';
import { parse } from '../program/program.ts';

const nowhere = { write: () => true };
const silent = createOutput({ json: false, no_color: true, stdout: nowhere, stderr: nowhere });
const typed = async (line: string) => (await parse(line.split(' '), silent))?.input;

const takingAnAgent = ['invoke', 'logs', 'status', 'stop', 'start', 'restart', 'delete', 'deployments list'];

test.each(takingAnAgent)('%s takes an agent by its name and by its reference, as deploy prints it', async (words) => {
  const byName = await typed(`${words} greeter`);
  expect(Object.values(byName ?? {})).toContain('greeter');
  expect(await typed(`${words} agents/greeter`)).toEqual(byName);
});

test.each([
  ['tools/search', 'is a tool'],
  ['agents/greeter@1.0.0', 'is a version'],
  ['greeter@1.0.0', 'is a version'],
  ['Greeter', 'is not the name of an agent'],
])('%s is refused before any request', async (given, why) => {
  await expect(typed(`status ${given}`)).rejects.toMatchObject({ message: expect.stringContaining(why) });
});
