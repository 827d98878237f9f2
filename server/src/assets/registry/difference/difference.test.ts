import { reachesNoAddress } from '@gantry/contract/assets/reach.ts';
import type { Difference } from '@gantry/contract/assets/difference.ts';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../content.ts';
import type { PinnedMemory } from '../references/memory-of-agent.ts';
import type { PinnedSkill } from '../skills/pinned-skills.ts';
import type { ReachOfServers } from '../tool-lists/reach-of-servers.ts';
import { difference, isEmpty, type Compared } from './difference.ts';

const file = (path: string, text: string | Uint8Array = path) => ({ path, sha256: sha256(text), size: text.length });
const bytesOf = (...texts: (string | Uint8Array)[]) =>
  new Map(texts.map((text) => [sha256(text), Buffer.from(text)] as const));
const pin = (ref: string, version: string, digest = `sha256:${ref}@${version}`) => ({
  ref,
  asset_id: ref,
  version,
  digest,
});
const content: Compared = {
  config: { name: 'a' },
  manifest: [],
  dependencies: { packages: [], built_from_source: [] },
  base_image: 'sha256:a',
  base_pin: 'sha256:a',
  pins: [],
  tools: [],
};
const withFiles = (...manifest: Compared['manifest']) => ({ ...content, manifest });

test('equal content has no difference, and without an earlier content everything is new', () => {
  expect(isEmpty(difference(content, content))).toBe(true);
  expect(difference(undefined, withFiles(file('agent.py', 'x = 1\n')), bytesOf('x = 1\n'))).toEqual({
    config: [{ path: 'name', before: null, after: 'a' }],
    files: [
      {
        path: 'agent.py',
        change: 'added',
        before_bytes: null,
        after_bytes: 6,
        diff: expect.stringContaining('--- /dev/null\n+++ b/agent.py\n@@ -0,0 +1,1 @@\n+x = 1\n'),
        no_diff: null,
      },
    ],
    dependencies: [],
    base_image: null,
    reach: [],
    tools: [],
  });
});

test('config is compared by path, files by hash, packages by version, and the base image as a whole', () => {
  const before: Compared = {
    ...withFiles(file('agent.py', 'one'), file('gone.py'), file('same.py')),
    config: { name: 'a', deploy: { resources: { cpu: '1', memory: '1Gi' } }, tags: ['x'] },
    dependencies: {
      packages: [
        { name: 'langgraph', version: '1.0.0' },
        { name: 'old', version: '1' },
      ],
      built_from_source: [],
    },
  };
  const after: Compared = {
    ...withFiles(file('agent.py', 'two'), file('new.py'), file('same.py')),
    config: { name: 'a', deploy: { resources: { cpu: '2', memory: '1Gi' } }, tags: ['x', 'y'], description: 'new' },
    dependencies: {
      packages: [
        { name: 'langgraph', version: '1.1.0' },
        { name: 'new', version: '2' },
      ],
      built_from_source: [],
    },
    base_image: 'sha256:b',
    base_pin: 'sha256:b',
  };
  const hidden = { diff: null, no_diff: 'not_permitted' };
  expect(difference(before, after)).toEqual({
    config: [
      { path: 'deploy.resources.cpu', before: '1', after: '2' },
      { path: 'description', before: null, after: 'new' },
      { path: 'tags', before: ['x'], after: ['x', 'y'] },
    ],
    files: [
      { path: 'agent.py', change: 'changed', before_bytes: 3, after_bytes: 3, ...hidden },
      { path: 'gone.py', change: 'removed', before_bytes: 7, after_bytes: null, ...hidden },
      { path: 'new.py', change: 'added', before_bytes: null, after_bytes: 6, ...hidden },
    ],
    dependencies: [
      { package: 'langgraph', before: '1.0.0', after: '1.1.0' },
      { package: 'new', before: null, after: '2' },
      { package: 'old', before: '1', after: null },
    ],
    base_image: { before: 'sha256:a', after: 'sha256:b' },
    reach: [],
    tools: [],
  });
});

test('an older content and a newer one on the same base image differ only where the pin is unknown', () => {
  const older: Compared = { ...content, base_image: 'sha256:id' };
  expect(difference(older, content).base_image).toBeNull();
  const unknown = difference({ ...older, base_pin: null }, content);
  expect(unknown.base_image).toEqual({ before: 'sha256:id', after: 'sha256:a' });
});

test('a reference is reach, and with other pinned content it is a change', () => {
  const before: Compared = {
    ...content,
    config: {},
    pins: [pin('tools/search', '1.0.0'), pin('knowledge-bases/faq', '1.0.0'), pin('agents/same', '1.0.0')],
  };
  const after: Compared = {
    ...content,
    config: {},
    pins: [pin('tools/search', '1.1.0'), pin('mcp-servers/shop', '2.0.0'), pin('agents/same', '1.0.0')],
  };
  expect(linesOf(difference(before, after).reach)).toEqual([
    'same agent agents/same 1.0.0 1.0.0',
    'added mcp-server mcp-servers/shop - 2.0.0',
    'changed tool tools/search 1.0.0 1.1.0',
    'removed knowledge-base knowledge-bases/faq 1.0.0 -',
  ]);
});

const linesOf = (reach: Difference['reach']) =>
  reach.map(({ change, kind, name, before, after }) => `${change} ${kind} ${name} ${before ?? '-'} ${after ?? '-'}`);

describe('the reach of an agent', () => {
  const agent = (
    config: Record<string, unknown>,
    egress?: string[],
    memory?: PinnedMemory,
    hosted: ReachOfServers['hosted'] = [],
    skills: PinnedSkill[] = [],
  ): Compared => ({
    ...content,
    config,
    agent: { team: 'ml', egress, memory, skills, as_user: [], hosted },
  });
  const reach = (before: Compared | undefined, after: Compared) =>
    difference(before, after).reach.map(({ change, name, unbounded, instead_of }) =>
      [change, name, ...(unbounded ? ['unbounded'] : []), ...instead_of].join(' | '),
    );

  test('without a list and a model is the whole internet and every model of its team, first and without a limit', () => {
    const lines = reach(undefined, agent({ deploy: { secrets: ['CRM_TOKEN'] } }));
    expect(lines).toEqual([
      'added | the whole internet | unbounded',
      'added | every model of team ml | unbounded',
      'added | CRM_TOKEN',
    ]);
  });

  test('is narrowed by the first named model and the first listed host, and widened by their end', () => {
    const [wide, narrow] = [agent({}), agent({ model: { primary: 'llama' } }, ['api.example.com:443'])];
    expect(reach(wide, narrow)).toEqual([
      'removed | the whole internet | unbounded',
      'removed | every model of team ml | unbounded',
      'narrowed | llama | every model of team ml',
      'narrowed | api.example.com:443 | the whole internet',
    ]);
    expect(reach(narrow, wide)).toEqual([
      'widened | the whole internet | unbounded | api.example.com:443',
      'widened | every model of team ml | unbounded | llama',
    ]);
  });

  test('says that a memory shares what callers tell it, and names the models that summarise and embed', () => {
    const remembering = (config: Partial<PinnedMemory['config']>) =>
      agent({ model: { primary: 'llama' } }, [], {
        ref: 'memory-configs/short',
        asset_id: 'short',
        model_format: undefined,
        config: { kind: 'buffer', scope: 'user', store: 'container', ...config },
      });
    expect(reach(remembering({}), remembering({ scope: 'agent' }))).toEqual([
      'added | of all its callers',
      'same | llama',
    ]);
    expect(reach(remembering({ scope: 'team' }), remembering({ model: { ref: 'models/small' } }))).toEqual([
      'removed | of all callers of the agents of team ml with memory-configs/short',
      'same | llama',
      'added | models/small',
    ]);
    expect(reach(remembering({}), remembering({ embedding: { ref: 'models/embed' } }))).toEqual([
      'same | llama',
      'added | models/embed',
    ]);
  });

  test('shows the program of a hosted server with what it gets, which the own network of the agent does not cover', () => {
    const of = { server: 'mcp-servers/shop', egress: ['shop.example.com:443'], secrets: ['SHOP_KEY'] };
    const hosting = (version: string) => agent({}, undefined, undefined, [{ ...of, package: `pypi:shop==${version}` }]);
    const after = difference(agent({}), hosting('1.0')).reach;
    expect(linesOf(after).filter((line) => line.startsWith('added'))).toEqual([
      'added hosted-package pypi:shop of mcp-servers/shop - 1.0',
      'added hosted-secret SHOP_KEY of mcp-servers/shop - -',
      'added hosted-host shop.example.com:443 of mcp-servers/shop - -',
    ]);
    expect(linesOf(difference(hosting('1.0'), hosting('1.1')).reach)).toContain(
      'changed hosted-package pypi:shop of mcp-servers/shop 1.0 1.1',
    );
    const closed = agent({}, [], undefined, [{ ...of, package: 'pypi:shop==1.0' }]);
    expect(reachesNoAddress(difference(undefined, closed).reach)).toBe(true);
  });

  test('follows the wildcards of a list', () => {
    const [all, one, other] = ['*.example.com:443', 'a.example.com:443', 'b.example.org:443'];
    expect(reach(agent({ model: { primary: 'm' } }, [all]), agent({ model: { primary: 'm' } }, [one, other]))).toEqual([
      'same | m',
      'removed | *.example.com:443',
      'narrowed | a.example.com:443 | *.example.com:443',
      'added | b.example.org:443',
    ]);
    expect(reach(agent({ model: { primary: 'm' } }, [all]), agent({ model: { primary: 'm' } }, [all, one]))).toEqual([
      'same | m',
      'same | *.example.com:443',
      'same | a.example.com:443',
    ]);
  });
});

test('a changed text has a unified diff; a binary, too long or missing one says so', () => {
  const [one, two] = ['a\nb\nc\n', 'a\nB\nc\n'];
  const binary = new Uint8Array([1, 0, 2]);
  const latin1 = new Uint8Array([0x67, 0xfc]);
  const { files } = difference(
    withFiles(file('a.txt', one), file('b.bin', one), file('c.txt', one), file('d.txt', one)),
    withFiles(file('a.txt', two), file('b.bin', binary), file('c.txt', latin1), file('d.txt', 'not loaded')),
    bytesOf(one, two, binary, latin1),
  );
  expect(files.map(({ no_diff }) => no_diff)).toEqual([null, 'binary', 'binary', 'too_large']);
  expect(files[0]?.diff).toContain('--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n');
});

test('hostile files cost at most two seconds of the processor, and are still listed', () => {
  const lines = (seed: number) => Array.from({ length: 16_000 }, (_, n) => `${(n * seed) % 9973}`).join('\n');
  const [before, after] = [7, 13].map((seed) =>
    Array.from({ length: 200 }, (_, n) => [`${n}.txt`, `${lines(seed + n)}\n`] as const),
  );
  const bytes = bytesOf(...[...(before ?? []), ...(after ?? [])].map(([, text]) => text));
  const manifest = (files: typeof before) => withFiles(...(files ?? []).map(([path, text]) => file(path, text)));
  const started = process.cpuUsage();
  const { files } = difference(manifest(before), manifest(after), bytes);
  expect(process.cpuUsage(started).user).toBeLessThan(2_000_000);
  expect(files).toHaveLength(200);
  expect(files.filter(({ diff }) => diff !== null).length).toBeLessThan(50);
});
