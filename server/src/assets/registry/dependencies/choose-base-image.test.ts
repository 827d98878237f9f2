import { Problem } from '@gantry/contract/problems.ts';
import { expect, test } from 'vitest';
import { chooseBaseImage } from './choose-base-image.ts';

const obtainable = ['3.10', '3.11', '3.12', '3.13', '3.14'];

/** On a service with 3.11.2, and `further` in BASE_IMAGES. `lacking` cannot be obtained. */
async function choose(
  wish: { requires?: string; preferred?: string },
  {
    further = [],
    lacking = [],
    obtains = obtainable,
  }: { further?: string[]; lacking?: string[]; obtains?: string[] } = {},
) {
  const obtained: string[] = [];
  const notices: string[] = [];
  const chosen = await chooseBaseImage(
    {
      further_pythons: further,
      obtainable_pythons: obtains,
      baseImage: async (python) => ({
        pin: `given ${python}`,
        python_version: python === undefined ? '3.11.2' : `${python}.4`,
      }),
      obtainBaseImage: async (python) => {
        obtained.push(python);
        if (!lacking.includes(python)) return { pin: `obtained ${python}`, python_version: `${python}.9` };
        throw new Problem('python_unavailable', { detail: `no way to ${python}` });
      },
      resolve: () => expect.unreachable(),
    },
    {
      required: wish.requires === undefined ? [] : [{ file: 'pyproject.toml', line: 4, specifier: wish.requires }],
      preferred: wish.preferred,
      onLog: () => {},
      notice: (sentence) => notices.push(sentence),
      signal: AbortSignal.timeout(1000),
    },
  );
  return { python: chosen.python_version, obtained, notices };
}

test.each([
  ['>=3.10', '3.11.2'],
  ['>=3.12', '3.12.9'],
  ['<3.11', '3.10.9'],
  ['>=3.13', '3.13.9'],
  ['>=3.14,<4', '3.14.9'],
  // The usual one has the minor version, but an older patch release.
  ['>=3.11.5,!=3.12.*', '3.13.9'],
])(
  'a project with requires-python %s gets %s, and a lacking version is obtained: the nearest one',
  async (requires, python) => {
    expect((await choose({ requires })).python).toBe(python);
  },
);

test('a version of BASE_IMAGES comes before one that must be obtained', async () => {
  expect(await choose({ requires: '>=3.12' }, { further: ['3.13'] })).toMatchObject({ python: '3.13.4', obtained: [] });
});

test('the python_version of langgraph.json comes first, and is obtained', async () => {
  expect(await choose({ preferred: '3.12' })).toEqual({ python: '3.12.9', obtained: ['3.12'], notices: [] });
  expect(await choose({ preferred: '3.11' })).toEqual({ python: '3.11.2', obtained: [], notices: [] });
});

test.each([
  [{ preferred: '3.12' }, 'no way to 3.12.'],
  [{ preferred: '3.12', requires: '<3.12' }, 'requires-python does not allow that version.'],
  [{ preferred: '3.9' }, 'this service does not have that version.'],
  [{ preferred: '3.12; $(id)\n' }, 'this service does not have that version.'],
])('%j of langgraph.json that cannot be had is said, with the reason', async (wish, reason) => {
  const { python, notices } = await choose(wish, { lacking: ['3.12'] });
  expect(python).toBe('3.11.2');
  expect(notices).toEqual([
    `langgraph.json asks for Python ${JSON.stringify(wish.preferred)}, and the agent gets 3.11.2: ${reason}`,
  ]);
});

test('a version that cannot be obtained makes way for the next allowed one', async () => {
  expect(await choose({ requires: '>=3.12' }, { lacking: ['3.12'] })).toMatchObject({
    python: '3.13.9',
    obtained: ['3.12', '3.13'],
  });
});

test('a project for which no version can be had is refused with the reason and the command of an operator', async () => {
  await expect(choose({ requires: '>=3.14' }, { lacking: ['3.14'] })).rejects.toMatchObject({
    code: 'python_unavailable',
    detail: 'The project needs Python >=3.14 (pyproject.toml:4), and this service has 3.11.2. no way to 3.14.',
    hint: expect.stringMatching(
      /`npm run base-image 3\.14`.*`svc server set BASE_IMAGES\+=3\.14=<image>`.*`svc server restart`/,
    ),
    fields: { available: ['3.11.2'] },
  });
  await expect(choose({ requires: '>=3.12' }, { obtains: [] })).rejects.toMatchObject({ code: 'python_unavailable' });
});

test('a project for a version outside the closed list obtains nothing', async () => {
  await expect(choose({ requires: '>=3.15' })).rejects.toMatchObject({
    code: 'python_unavailable',
    detail: 'The project needs Python >=3.15 (pyproject.toml:4), and this service has 3.11.2.',
  });
});
