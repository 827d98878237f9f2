import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { frameworks, printRequirement, type Framework } from './frameworks.ts';
import { frameworkConflicts, normaliseName, parseRequirements } from './requirements.ts';
import { printLine } from './requirements/parse-line.ts';
import { endsBelow } from './requirements/version-range.ts';

const one = (line: string) => parseRequirements(line).requirements[0];

describe('a requirement', () => {
  test.each([
    ['httpx', { name: 'httpx', specifiers: [] }],
    ['Typing_Extensions >= 4', { name: 'typing-extensions', specifiers: [{ operator: '>=', version: '4' }] }],
    [
      'uvicorn[standard, Foo_Bar]~=0.27.0',
      { name: 'uvicorn', extras: ['standard', 'foo-bar'], specifiers: [{ operator: '~=', version: '0.27.0' }] },
    ],
    [
      'pydantic>=2,<3,!=2.1.*',
      {
        specifiers: [
          { operator: '>=', version: '2' },
          { operator: '<', version: '3' },
          { operator: '!=', version: '2.1.*' },
        ],
      },
    ],
    [
      'x (>=1,<2)',
      {
        specifiers: [
          { operator: '>=', version: '1' },
          { operator: '<', version: '2' },
        ],
      },
    ],
    ['x===1.0+local', { specifiers: [{ operator: '===', version: '1.0+local' }] }],
    [
      'x ; python_version < "3.9" and sys_platform == "win32"',
      { name: 'x', marker: 'python_version < "3.9" and sys_platform == "win32"' },
    ],
    ['x>=1 # why', { name: 'x', specifiers: [{ operator: '>=', version: '1' }] }],
    ['x==1 --hash=sha256:ab --hash=sha512:cd', { hashes: ['sha256:ab', 'sha512:cd'] }],
    ['x==1 \\\n    --hash=sha256:ab \\\n    --hash=sha256:cd', { hashes: ['sha256:ab', 'sha256:cd'] }],
    ['\uFEFFx', { name: 'x' }],
  ])('%j is read', (line, expected) => {
    expect(parseRequirements(line).findings).toEqual([]);
    expect(one(line)).toMatchObject(expected);
  });

  test('keeps the number of its line', () => {
    expect(
      parseRequirements('# a\r\n\r\nx \\\r\n >=1\r\ny\n').requirements.map(({ name, line }) => [name, line]),
    ).toEqual([
      ['x', 3],
      ['y', 5],
    ]);
  });

  test.each(['--require-hashes', '--pre', '--only-binary :all:', '--prefer-binary', '', '   ', '# only a comment'])(
    '%j beside it is accepted',
    (line) => {
      expect(parseRequirements(line)).toMatchObject({ requirements: [], includes: [], findings: [] });
    },
  );

  test.each(['--only-binary :all:', '--only-binary=numpy,torch'])('%j forbids source builds', (line) => {
    expect(parseRequirements(line).only_binary).toEqual([line.replace(/^--only-binary[= ]/, '')]);
  });

  test.each([
    ['-r other.txt', { include: 'other.txt', as: 'requirements' }],
    ['-rother.txt', { include: 'other.txt', as: 'requirements' }],
    ['--requirement=sub/other.txt', { include: 'sub/other.txt', as: 'requirements' }],
    ['--requirement ../other.txt # why', { include: '../other.txt', as: 'requirements' }],
    ['-c constraints.txt', { include: 'constraints.txt', as: 'constraints' }],
  ])('%j names another file', (line, include) => {
    expect(parseRequirements(line)).toMatchObject({
      requirements: [],
      includes: [{ ...include, line: 1 }],
      findings: [],
    });
  });

  test.each([
    ['Typing_Extensions [all, B_c] >= 4 , <5', 'typing-extensions[all,b-c]>=4,<5'],
    ['x==1.0 ;  python_version<"3.9"', 'x==1.0 ; python_version<"3.9"'],
    ['x==1 --hash=sha256:ab --hash=sha512:cd', 'x==1 --hash=sha256:ab --hash=sha512:cd'],
  ])('%j is printed as one plain line', (line, printed) => {
    const [requirement] = parseRequirements(line).requirements;
    expect(requirement && printLine(requirement)).toBe(printed);
    expect(parseRequirements(printed).requirements).toEqual([requirement]);
  });
});

describe('a line that installs from elsewhere or reads other files is refused:', () => {
  test.each([
    '--extra-index-url https://example.com/simple',
    '--extra-index-url=https://example.com/simple',
    '--index-url https://example.com',
    '-i https://example.com',
    '-ihttps://example.com',
    '--find-links /tmp',
    '-f .',
    '--trusted-host example.com',
    '--no-index',
    '-r /etc/passwd',
    '-r/etc/passwd',
    '-r https://example.com/requirements.txt',
    '--requirement=file:///etc/passwd',
    '-r',
    '-c git+https://example.com/x',
    '-e .',
    '--editable=git+ssh://git@example.com/x',
    'git+ssh://git@example.com/x',
    'git+https://example.com/x#egg=x',
    'hg+https://example.com/x',
    'git://example.com/x',
    'x @ git+https://example.com/x',
    'x@git+https://example.com/x',
    'x[extra] @ https://example.com/x.whl',
    'x @ file:///etc/passwd',
    'https://example.com/x.whl',
    'file:///x.whl',
    './local',
    '../local',
    '/abs/local',
    '~/local',
    'local/package',
    'package.whl',
    'package.tar.gz ; python_version > "3"',
    'C:\\packages\\x',
    'x @ ./x',
    '--no-binary :all:',
    '--unheard-of',
    'x --config-settings=a=b',
    'x --global-option=--x',
    'x==${VERSION}',
    'https://${TOKEN}@example.com/x',
    'x # comment \\\n--extra-index-url https://example.com',
    'x\u2028--extra-index-url https://example.com',
    'x\u000b--index-url https://example.com',
    'x\u0000',
  ])('%j', (line) => {
    const { requirements, findings } = parseRequirements(`a\n${line}\n`);
    expect(requirements.map(({ name }) => name)).toEqual(['a']);
    expect(findings).toMatchObject([
      { code: 'requirement_refused', severity: 'error', file: 'requirements.txt', line: 2 },
    ]);
    expect(findings[0]?.suggestion).toBeTruthy();
  });
});

test.each([
  'x y',
  'x;',
  '>=1',
  'x>=',
  'x>=1,,>2 y',
  'x -i https:',
  '[a]',
  'é',
  'x[a b]',
  'x[-a]',
  'x; python_version > "3" \\ # comment',
  `x; ${'('.repeat(2000)}`,
  'x'.repeat(9000) + ' y',
])('%.30j is not a requirement', (line) => {
  expect(parseRequirements(line)).toMatchObject({ requirements: [], findings: [{ severity: 'error' }] });
});

test('names are equal in every spelling', () => {
  expect(['Foo.Bar', 'foo__bar', 'FOO-bar', 'foo-._bar'].map(normaliseName)).toEqual(
    Array.from({ length: 4 }, () => 'foo-bar'),
  );
});

test('a file over a limit is not read', () => {
  expect(parseRequirements('x\n'.repeat(5_001)).findings).toMatchObject([{ code: 'file_too_large' }]);
  expect(parseRequirements(' '.repeat(300_000)).findings).toMatchObject([{ code: 'file_too_large' }]);
});

test('reading never throws and stays within its time, for any text', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.constantFrom(
            'x',
            '>=',
            '1',
            '[',
            ']',
            '@',
            ' ',
            '-',
            '--hash=',
            '\\\n',
            '\n',
            ';',
            '#',
            'git+',
            '://',
            '(',
            ')',
            ',',
          ),
          fc.string({ maxLength: 3 }),
        ),
        { maxLength: 60 },
      ),
      (parts) => void parseRequirements(parts.join('')),
    ),
    { numRuns: 1000 },
  );
  for (const line of [
    `x${' '.repeat(8000)}y`,
    `x[${' '.repeat(8000)}`,
    'x'.repeat(8000),
    `x${'.'.repeat(8000)}`,
    `x ${'--a '.repeat(2000)}`,
    `${'a-'.repeat(4000)}:`,
    `x>=${'1,'.repeat(4000)}`,
  ]) {
    const start = performance.now();
    parseRequirements(`${line}\n`.repeat(30));
    expect({ line: line.slice(0, 10), isQuick: performance.now() - start < 300 }).toMatchObject({ isQuick: true });
  }
});

test("the build adds the spec's packages", () => {
  const added = (framework: Framework): string[] => {
    const { requires, served_with } = frameworks[framework];
    return [...requires, ...served_with].map(printRequirement);
  };
  const both = ['pydantic>=2.0.0', 'fastapi>=0.110.0', 'uvicorn[standard]>=0.27.0', 'httpx>=0.27.0'];
  expect(added('langgraph')).toEqual(['langgraph>=0.2.0', 'langchain-core>=0.3.0', ...both]);
  expect(added('crewai')).toEqual(['crewai', ...both]);
});

test('a range that ends below a floor is a conflict with both sides and a remedy', () => {
  const conflicts = (text: string) => frameworkConflicts('langgraph', parseRequirements(text).requirements);
  expect(conflicts('# pinned\nlangchain-core>=0.1,<0.3\n')).toEqual([
    {
      package: 'langchain-core',
      required_by: [
        { source: 'requirements.txt:2', spec: 'langchain-core>=0.1,<0.3' },
        { source: 'platform', spec: 'langchain-core>=0.3.0' },
      ],
      remedy: 'widen `langchain-core>=0.1,<0.3` on line 2 of requirements.txt so that it allows 0.3.0 or later',
    },
  ]);
  expect(conflicts('langchain-core<0.3; sys_platform == "win32"\nfastapi<0.100\n')).toEqual([]);
});

test.each(['__proto__', 'constructor', 'sub/toString'])('a file called %s is an ordinary file', (file) => {
  const { requirements } = parseRequirements('langgraph<0.2\n', file);
  expect(frameworkConflicts('langgraph', requirements)).toMatchObject([
    { remedy: `widen \`langgraph<0.2\` on line 1 of ${file} so that it allows 0.2.0 or later` },
  ]);
});

test.each([
  ['<2', true],
  ['<2.0.0', true],
  ['<2.0.1', false],
  ['<3', false],
  ['<=1.10', true],
  ['<=2', false],
  ['==1.10.2', true],
  ['==2', false],
  ['==2.*', false],
  ['==1.*', true],
  ['===1.9', true],
  ['~=1.10', true],
  ['~=1.10.2', true],
  ['~=2.0', false],
  ['>=1', false],
  ['!=2', false],
  ['==1!1.0', false],
  ['<2rc1', true],
])('%s ends below 2.0.0: %s', (specifier, expected) => {
  const [, operator = '', version = ''] = /^([<>=!~]+)(.*)$/.exec(specifier) ?? [];
  expect(
    endsBelow(
      [
        { operator: '>=', version: '0' },
        { operator, version },
      ],
      '2.0.0',
    ),
  ).toBe(expected);
});
