import { describe, expect, test } from 'vitest';
import { filesFromMap } from '../agent-project/files.ts';
import { readDependencies } from './read-dependencies.ts';
import { sourceRoots } from '../folders/source-roots.ts';
import { resolverLines } from './resolver-lines.ts';

type Files = Record<string, string>;
const read = (files: Files) => readDependencies(filesFromMap(new Map(Object.entries(files))));
const requirements = (files: Files) => resolverLines(read(files)).requirements.map(({ line }) => line);
const constraints = (files: Files) => resolverLines(read(files)).constraints.map(({ line }) => line);
/** Without notices. */
const errors = (files: Files) =>
  read(files)
    .findings.filter(({ severity }) => severity === 'error')
    .map(({ code, file, line }) => `${code} ${file}:${line}`);
const said = (files: Files) =>
  read(files)
    .findings.filter(({ severity }) => severity !== 'error')
    .map(({ code, message }) => `${code}: ${message}`);

const langgraph = (...dependencies: string[]) => JSON.stringify({ dependencies, graphs: {} });
const project = (more: string) => `[project]\nname = "demo"\nversion = "1.0"\n${more}`;

describe('which files count:', () => {
  test.each<[string, Files, string[], string[]]>([
    ['requirements.txt', { 'requirements.txt': 'a\n' }, ['a'], ['requirements.txt']],
    ['pyproject.toml', { 'pyproject.toml': project('dependencies = ["a>=1"]') }, ['a>=1'], ['pyproject.toml']],
    [
      'requirements.txt before pyproject.toml',
      { 'requirements.txt': 'a\n', 'pyproject.toml': project('dependencies = ["b"]') },
      ['a'],
      ['pyproject.toml', 'requirements.txt'],
    ],
    [
      'pyproject.toml before requirements.txt where langgraph.json names the project',
      {
        'requirements.txt': 'a\n',
        'pyproject.toml': project('dependencies = ["b"]'),
        'langgraph.json': langgraph('.'),
      },
      ['b'],
      ['langgraph.json', 'pyproject.toml'],
    ],
    [
      'requirements.txt beside a pyproject.toml that configures tools',
      { 'requirements.txt': 'a\n', 'pyproject.toml': '[tool.ruff]\n', 'langgraph.json': langgraph('.') },
      ['a'],
      ['langgraph.json', 'pyproject.toml', 'requirements.txt'],
    ],
    [
      'folders and packages that langgraph.json names',
      {
        'requirements.txt': 'a\n',
        'my_agent/requirements.txt': 'b\n',
        'libs/shared/pyproject.toml': '[project]\nname = "shared"\nversion = "1"\ndependencies = ["c"]',
        'elsewhere/requirements.txt': 'not-read\n',
        'langgraph.json': langgraph('./my_agent', './libs/shared', 'd>=1,<2'),
      },
      ['a', 'b', 'c', 'd>=1,<2'],
      ['langgraph.json', 'requirements.txt', 'my_agent/requirements.txt', 'libs/shared/pyproject.toml'],
    ],
    [
      'a folder with its own requirements.txt and pyproject.toml',
      {
        'sub/requirements.txt': 'a\n',
        'sub/pyproject.toml': '[project]\nname = "sub"\nversion = "1"\ndependencies = ["b"]',
        'langgraph.json': langgraph('./sub'),
      },
      ['b'],
      ['langgraph.json', 'sub/pyproject.toml'],
    ],
  ])('%s', (_, files, lines, sources) => {
    expect(requirements(files)).toEqual(lines);
    expect(read(files).sources).toEqual(sources);
    expect(errors(files)).toEqual([]);
  });

  test('a package that is a folder of the project is imported, and never fetched', () => {
    const files = {
      'pyproject.toml': project(
        'dependencies = ["shared-lib", "a", "demo[x]"]\n[tool.uv.sources]\nshared-lib = { workspace = true }\n',
      ),
      'libs/shared/pyproject.toml': '[project]\nname = "Shared_Lib"\nversion = "1"\n',
      'langgraph.json': langgraph('.', './libs/shared'),
    };
    expect(requirements(files)).toEqual(['a']);
    expect(errors(files)).toEqual([]);
    expect(read(files).projects).toEqual([
      { name: 'demo', version: '1.0' },
      { name: 'Shared_Lib', version: '1' },
    ]);
  });

  test('each requirement keeps its place in the file', () => {
    const { requirements: lines } = resolverLines(
      read({
        'pyproject.toml': project('dependencies = [\n  "a",\n  \'b; python_version < "4"\',\n  "a>=2", # again\n]\n'),
        'langgraph.json': JSON.stringify({ dependencies: ['.', 'c'] }, null, 1),
      }),
    );
    expect(lines).toEqual([
      { line: 'a', source: 'pyproject.toml:5' },
      { line: 'b ; python_version < "4"', source: 'pyproject.toml:6' },
      { line: 'a>=2', source: 'pyproject.toml:7' },
      { line: 'c', source: 'langgraph.json:4' },
    ]);
  });

  test.each<[string, Files, string]>([
    ['none', {}, 'no_dependency_file'],
    ['two', { 'requirements.txt': '', 'pyproject.toml': project('dependencies = ["a"]') }, 'two_dependency_files'],
    ['only setup.py', { 'setup.py': '' }, 'project_dynamic'],
  ])('%s is said', (_, files, code) => {
    expect(read(files).findings.map((finding) => finding.code)).toEqual([code]);
    expect(errors(files)).toEqual([]);
  });

  test('a missing folder is refused at its line', () => {
    expect(errors({ 'langgraph.json': langgraph('./gone') })).toEqual(['missing_file langgraph.json:1']);
  });
});

describe('other requirement files', () => {
  test('are followed inside the project, each once', () => {
    const files = {
      'requirements.txt': '-r sub/base.txt\n-r other.txt\na\n-c bounds.txt\n--only-binary :all:\n',
      'sub/base.txt': '-r ../other.txt\nb\n',
      'other.txt': 'c\n',
      'bounds.txt': 'c==1\nd[x]==2\n',
    };
    expect(requirements(files)).toEqual(['a', 'b', 'c', '--only-binary :all:']);
    expect(constraints(files)).toEqual(['c==1', 'd==2']);
    expect(read(files).sources).toEqual(['requirements.txt', 'sub/base.txt', 'other.txt', 'bounds.txt']);
    expect(errors(files)).toEqual([]);
  });

  test.each<[string, Files, string]>([
    ['outside the project', { 'requirements.txt': '\n-r ../x.txt' }, 'requirement_refused requirements.txt:2'],
    ['that leave it on their way', { 'requirements.txt': '-r a/../../x' }, 'requirement_refused requirements.txt:1'],
    ['at an absolute path', { 'requirements.txt': '-r /etc/passwd' }, 'requirement_refused requirements.txt:1'],
    ['at an address', { 'requirements.txt': '-r https://e.com/x' }, 'requirement_refused requirements.txt:1'],
    ['that are missing', { 'requirements.txt': '-r x.txt' }, 'missing_file requirements.txt:1'],
    ['that name themselves', { 'requirements.txt': '-r requirements.txt' }, 'requirement_refused requirements.txt:1'],
    [
      'that go in a circle',
      { 'requirements.txt': '-r a.txt', 'a.txt': '\n-r ./requirements.txt' },
      'requirement_refused a.txt:2',
    ],
    ['with a refused line', { 'requirements.txt': '-r a.txt', 'a.txt': '-i x' }, 'requirement_refused a.txt:1'],
  ])('%s are refused', (_, files, error) => {
    expect(errors(files)).toEqual([error]);
  });

  test('with endless repeats cost little, and are refused', () => {
    const included = Array.from({ length: 19 }, (_, index) => `s${index}.txt`);
    const folders = Array.from({ length: 50 }, (_, index) => `f${index}`);
    const dynamic = `dependencies = { file = [${'"../all.txt", '.repeat(20)}] }`;
    const pyproject = `[project]\ndynamic = ["dependencies"]\n[tool.setuptools.dynamic]\n${dynamic}\n`;
    const files = {
      'langgraph.json': langgraph(...folders.map((folder) => `./${folder}`)),
      'all.txt': included.map((name) => `-r ${name}\n`).join(''),
      ...Object.fromEntries(included.map((name) => [name, 'a\n'.repeat(4_900)])),
      ...Object.fromEntries(folders.map((folder) => [`${folder}/pyproject.toml`, pyproject])),
    };
    const start = performance.now();
    const { findings, requirements: found } = read(files);
    expect(performance.now() - start).toBeLessThan(5_000);
    expect(found.length).toBeLessThan(150_000);
    expect(findings).toContainEqual(expect.objectContaining({ code: 'file_too_large', severity: 'error' }));
  });

  test('are followed to a limit', () => {
    const names = Array.from({ length: 30 }, (_, index) => `r${index}.txt`);
    const files = Object.fromEntries(names.map((name, index) => [name, `-r ${names[index + 1] ?? 'r29.txt'}\n`]));
    expect(errors({ 'requirements.txt': '-r r0.txt\n', ...files })).toMatchObject([/^file_too_large/]);
  });
});

describe('a pyproject.toml', () => {
  test.each([
    ['"x @ https://example.com/x.whl"', 'requirement_refused'],
    ['"x @ git+https://example.com/x"', 'requirement_refused'],
    ['"x @ file:///etc/passwd"', 'requirement_refused'],
    ['"./local"', 'requirement_refused'],
    ['"x==${SECRET}"', 'requirement_refused'],
    ['"-r other.txt"', 'requirement_unreadable'],
    ['"--index-url https://example.com"', 'requirement_unreadable'],
    ['"x --hash=sha256:ab"', 'requirement_unreadable'],
    ['"x\\n--index-url https://example.com"', 'requirement_unreadable'],
    ['"x ; python_version > \'3\' \\\\"', 'requirement_unreadable'],
    ['"x # y"', 'requirement_unreadable'],
    ['""', 'requirement_unreadable'],
  ])('with the requirement %s is refused', (text, code) => {
    const files = { 'pyproject.toml': project(`dependencies = ["a",\n${text}]\n`) };
    expect(read(files).findings.map((finding) => finding.code)).toEqual([code]);
    expect(requirements(files)).toEqual(['a']);
  });

  test.each([
    ['a source in version control', '[tool.uv.sources]\nA = { git = "https://example.com/a" }', 6],
    ['a source at an address', '[tool.uv.sources]\na = { url = "https://example.com/a.whl" }', 6],
    ['a source at a path', '[tool.uv.sources]\na = { path = "../a" }', 6],
    ['a workspace that is not here', '[tool.uv.sources]\na = { workspace = true }', 6],
    ['a source from another index', '[tool.uv.sources]\na = [{ index = "x", marker = "y" }]', 6],
    ['another index', '[[tool.uv.index]]\nurl = "https://example.com/simple"', 5],
    ['an index URL', '[tool.uv]\nindex-url = "https://example.com/simple"', 6],
    ['an extra index URL', '[tool.uv]\nextra-index-url = ["https://example.com/simple"]', 6],
    ["Poetry's source", '[[tool.poetry.source]]\nname = "x"\nurl = "https://example.com/simple"', 5],
    ["PDM's source", '[[tool.pdm.source]]\nname = "x"\nurl = "https://example.com/simple"', 5],
  ])('with %s is refused', (_, more, line) => {
    expect(errors({ 'pyproject.toml': project(`dependencies = ["a"]\n${more}\n`) })).toEqual([
      `requirement_refused pyproject.toml:${line}`,
    ]);
  });

  test.each([
    ['a source of a package that is not required', '[tool.uv.sources]\nb = { git = "https://example.com/b" }'],
    ['an index that only named packages use', '[[tool.uv.index]]\nurl = "https://example.com"\nexplicit = true'],
    ['the public index', '[[tool.uv.index]]\nurl = "https://pypi.org/simple"\ndefault = true'],
    ["Poetry's name of the public index", '[[tool.poetry.source]]\nname = "PyPI"\npriority = "primary"'],
    ['a group of developers', '[tool.uv]\ndev-dependencies = ["x @ https://example.com/x.whl"]'],
  ])('with %s is taken', (_, more) => {
    expect(errors({ 'pyproject.toml': project(`dependencies = ["a"]\n${more}\n`) })).toEqual([]);
  });

  test('binds versions by the constraints of uv, and reports the ignored settings', () => {
    const more =
      'dependencies = ["a"]\n[tool.uv]\nconstraint-dependencies = ["b<2"]\noverride-dependencies = ["c==1"]\n';
    expect(constraints({ 'pyproject.toml': project(more) })).toEqual(['b<2']);
    expect(said({ 'pyproject.toml': project(more) })).toEqual([
      'setting_ignored: `override-dependencies` of [tool.uv] is not used here; the service resolves by its own settings',
    ]);
  });

  test('reports extras and groups as not installed', () => {
    const more = 'dependencies = []\n[project.optional-dependencies]\nweb = ["x"]\n[dependency-groups]\ndev = ["y"]\n';
    expect(said({ 'pyproject.toml': project(more) })).toEqual([
      'not_installed: Extras and groups are not installed: web, dev',
    ]);
    expect(requirements({ 'pyproject.toml': project(more) })).toEqual([]);
  });

  test('with dependencies from a build backend is refused, unless a requirements.txt lists them', () => {
    const toml = project('dynamic = ["dependencies"]\n');
    expect(errors({ 'pyproject.toml': toml })).toEqual(['project_dynamic pyproject.toml:4']);
    const both = { 'pyproject.toml': toml, 'requirements.txt': 'a\n', 'langgraph.json': langgraph('.') };
    expect(errors(both)).toEqual([]);
    expect(requirements(both)).toEqual(['a']);
  });

  test('with dependencies in a file of setuptools is read there', () => {
    const toml = project(
      'dynamic = ["dependencies"]\n[tool.setuptools.dynamic]\ndependencies = { file = ["deps.in"] }\n',
    );
    expect(requirements({ 'pyproject.toml': toml, 'deps.in': 'a\n' })).toEqual(['a']);
    expect(errors({ 'pyproject.toml': toml })).toEqual(['missing_file pyproject.toml:1']);
    expect(errors({ 'pyproject.toml': toml.replace('deps.in', '../deps.in') })).toEqual([
      'missing_file pyproject.toml:1',
    ]);
  });

  test.each([
    ['[project', 'toml_syntax pyproject.toml:1'],
    [`a = ${'['.repeat(100)}`, 'toml_syntax pyproject.toml:1'],
    [`a = "${'x'.repeat(20_000)}"`, 'file_too_large pyproject.toml:1'],
    ['# x\n'.repeat(100_000), 'file_too_large pyproject.toml:1'],
    ['[a]\n'.repeat(10_001), 'file_too_large pyproject.toml:1'],
    [project('dependencies = "a"'), 'wrong_type pyproject.toml:4'],
    [project('dependencies = [1]'), 'wrong_type pyproject.toml:4'],
    [project(`dependencies = [\n${'"a",\n'.repeat(1_001)}]`), 'file_too_large pyproject.toml:1'],
  ])('of %.30j is refused', (text, error) => {
    expect(errors({ 'pyproject.toml': text })).toEqual([error]);
  });

  test('reaches no prototype', () => {
    const text =
      '[project]\n__proto__ = { polluted = 1 }\n[tool.__proto__]\nx = 1\n[tool.poetry.dependencies.__proto__]\ny = 1\n';
    expect(errors({ 'pyproject.toml': text })).toEqual(['requirement_unreadable pyproject.toml:5']);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test('with hostile text within the limits costs little', () => {
    const texts = [
      Array.from({ length: 9_999 }, (_, index) => `[t${index}]`).join('\n'),
      Array.from({ length: 16 }, () => `x.${'a.'.repeat(8_000)}b = 1`).join('\n'),
      project(`dependencies = [\n${'"a\\u0062",\n'.repeat(999)}]\n${'#'.repeat(100)}\n`.repeat(1)) +
        '# x\n'.repeat(60_000),
      project(`description = """\n[${' '.repeat(16_000)}\n"""\n`),
      `[tool.poetry.dependencies]\n${Array.from({ length: 999 }, (_, index) => `p${index} = "${'^1 '.repeat(60)}"`).join('\n')}`,
    ];
    for (const text of texts) {
      const start = performance.now();
      read({ 'pyproject.toml': text });
      expect({ text: text.slice(0, 20), isQuick: performance.now() - start < 5_000 }).toMatchObject({ isQuick: true });
    }
  });
});

describe('the name, the version and the Python of a project', () => {
  test('are read from the text, also beside another file of dependencies', () => {
    const toml = '[project]\nname = "React.Agent"\nversion = "v1.0-rc1"\nrequires-python = ">=3.11,<4.0"\n';
    expect(read({ 'pyproject.toml': toml, 'requirements.txt': 'a\n' })).toMatchObject({
      projects: [{ name: 'React.Agent', version: '1.0rc1' }],
      requires_python: [{ specifier: '>=3.11,<4.0', file: 'pyproject.toml', line: 4 }],
      findings: [],
    });
  });

  test('are 0.0.0 when a build backend would compute the version', () => {
    const toml = '[project]\nname = "x"\ndynamic = ["version"]\n';
    expect(read({ 'pyproject.toml': toml }).projects).toEqual([{ name: 'x', version: '0.0.0' }]);
    expect(said({ 'pyproject.toml': toml })).toEqual([
      'project_dynamic: The version of x is not written in pyproject.toml; importlib.metadata answers 0.0.0',
    ]);
  });

  test.each([
    ['name = "../../etc"\nversion = "1"', 'invalid_value pyproject.toml:2'],
    ['name = "a/b"\nversion = "1"', 'invalid_value pyproject.toml:2'],
    ['name = "a\\nName: b"\nversion = "1"', 'invalid_value pyproject.toml:2'],
    [`name = "${'x'.repeat(101)}"\nversion = "1"`, 'invalid_value pyproject.toml:2'],
    ['name = "a"\nversion = "../1"', 'invalid_value pyproject.toml:3'],
    ['name = "a"\nversion = "1\\n"\nrequires-python = "three"', 'python_unreadable pyproject.toml:4'],
  ])('that read %j are refused', (text, error) => {
    expect(errors({ 'pyproject.toml': `[project]\n${text}\n` })).toEqual([error]);
  });
});

describe("Poetry's tables", () => {
  const poetry = (more: string) => ({ 'pyproject.toml': `[tool.poetry]\nname = "demo"\nversion = "1.0"\n\n${more}` });

  test('are translated', () => {
    const files = poetry(`[tool.poetry.dependencies]
python = ">=3.9,<3.9.7 || >3.9.7,<4.0"
langchain = "^0.3.1"
httpx = { version = "~0.27", extras = ["http2"] }
a = "*"
b = { version = "1.2", markers = "sys_platform == 'linux'", python = "^3.11" }
c = [{ version = "<2", python = "<3.12" }, { version = ">=2", python = ">=3.12" }]
d = { version = "^1", optional = true }
e.version = "^2"

[tool.poetry.dependencies.f]
version = "^3"

[tool.poetry.group.dev.dependencies]
pytest = "^8"
`);
    expect(resolverLines(read(files)).requirements).toEqual([
      { line: 'langchain>=0.3.1,<0.4', source: 'pyproject.toml:7' },
      { line: 'httpx[http2]>=0.27,<0.28', source: 'pyproject.toml:8' },
      { line: 'a', source: 'pyproject.toml:9' },
      {
        line: `b==1.2 ; (sys_platform == 'linux') and (python_full_version >= "3.11" and python_full_version < "4")`,
        source: 'pyproject.toml:10',
      },
      { line: 'c<2 ; python_full_version < "3.12"', source: 'pyproject.toml:11' },
      { line: 'c>=2 ; python_full_version >= "3.12"', source: 'pyproject.toml:11' },
      { line: 'e>=2,<3', source: 'pyproject.toml:13' },
      { line: 'f>=3,<4', source: 'pyproject.toml:15' },
    ]);
    expect(read(files)).toMatchObject({
      projects: [{ name: 'demo', version: '1.0' }],
      requires_python: [{ specifier: '>=3.9,<3.9.7 || >3.9.7,<4.0', line: 6 }],
    });
    expect(errors(files)).toEqual([]);
    expect(said(files)).toEqual(['not_installed: Extras and groups are not installed: dev']);
  });

  test.each([
    ['{ git = "https://example.com/x" }', 'requirement_refused'],
    ['{ path = "../x", develop = true }', 'requirement_refused'],
    ['{ url = "https://example.com/x.whl" }', 'requirement_refused'],
    ['{ file = "x.whl" }', 'requirement_refused'],
    ['{ version = "1", source = "private" }', 'requirement_refused'],
    ['"latest"', 'requirement_unreadable'],
    ['"^1 || ^2"', 'requirement_unreadable'],
    ['{ version = "1", markers = "\\n-r x" }', 'requirement_unreadable'],
    ['{ version = "1", extras = ["a]; x"] }', 'requirement_unreadable'],
    ['1', 'requirement_unreadable'],
  ])('with %s are refused', (value, code) => {
    expect(errors(poetry(`[tool.poetry.dependencies]\na = "*"\nx = ${value}\n`))).toEqual([`${code} pyproject.toml:7`]);
  });

  test('come after [project], and count when it leaves the dependencies to them', () => {
    const tables = '[tool.poetry.dependencies]\nb = "^1"\n';
    expect(requirements({ 'pyproject.toml': `${project('dependencies = ["a"]')}\n${tables}` })).toEqual(['a']);
    expect(requirements({ 'pyproject.toml': `${project('dynamic = ["dependencies"]')}\n${tables}` })).toEqual([
      'b>=1,<2',
    ]);
  });
});

describe('a lock', () => {
  const toml = { 'pyproject.toml': project('dependencies = ["a", "g"]') };
  const locked = (name: string, version: string, source = '{ registry = "https://pypi.org/simple" }', more = '') =>
    `[[package]]\nname = "${name}"\nversion = "${version}"\nsource = ${source}\n${more}\n`;
  const uv = (...packages: string[]) => ({ ...toml, 'uv.lock': `version = 1\n\n${packages.join('')}` });
  const besideAnother = (...packages: string[]) => ({
    'langgraph.json': langgraph('./sub'),
    'sub/pyproject.toml': toml['pyproject.toml'],
    'uv.lock': uv(...packages)['uv.lock'],
  });

  test("of uv binds the versions without its pyproject.toml, and leaves the project's own folders out", () => {
    const files = besideAnother(
      locked('a', '1.0'),
      locked('demo', '1.0', '{ editable = "." }'),
      locked('lib', '1.0', '{ virtual = "lib" }'),
      locked('other', '1.0', '{ git = "https://example.com/other" }'),
      locked('b', '1', undefined, `resolution-markers = ["python_full_version < '3.12'"]`),
      locked('b', '2', undefined, `resolution-markers = [\n  "python_full_version >= '3.12'",\n  "os_name == 'x'",\n]`),
    );
    expect(resolverLines(read(files)).constraints).toEqual([
      { line: 'a==1.0', source: 'uv.lock:3' },
      { line: "b==1 ; (python_full_version < '3.12')", source: 'uv.lock:23' },
      { line: "b==2 ; (python_full_version >= '3.12') or (os_name == 'x')", source: 'uv.lock:28' },
    ]);
    expect(read(files).findings).toEqual([]);
    expect(read(files)).toMatchObject({ sources: ['langgraph.json', 'sub/pyproject.toml', 'uv.lock'] });
    expect(read(files)).not.toHaveProperty('locked');
  });

  test('of Poetry binds the versions, too', () => {
    const lock = `${locked('a', '1.0').replace(/source.*\n/, '')}[[package]]\nname = "c"\nversion = "2"\n\n[package.source]\ntype = "legacy"\nurl = "x"\n`;
    expect(constraints({ ...toml, 'poetry.lock': lock })).toEqual(['a==1.0', 'c==2']);
  });

  test.each<[string, Files, string[]]>([
    [
      'from version control',
      uv(locked('g', '1', '{ git = "https://example.com/g" }')),
      ['requirement_refused uv.lock:3'],
    ],
    ['from an address', uv(locked('g', '1', '{ url = "https://example.com/g" }')), ['requirement_refused uv.lock:3']],
    ['without a version', uv(locked('a', '')), ['requirement_unreadable uv.lock:3']],
    ['with a hostile name', uv(locked('../a', '1')), ['requirement_unreadable uv.lock:3']],
    ['that is not TOML', { ...toml, 'uv.lock': '[[package' }, ['toml_syntax uv.lock:1']],
    ['of too many packages', { ...toml, 'uv.lock': '[[package]]\n'.repeat(5_001) }, ['file_too_large uv.lock:1']],
    ['of too many bytes', { ...toml, 'uv.lock': '# xxxxxxx\n'.repeat(300_001) }, ['file_too_large uv.lock:1']],
  ])('%s is refused', (_, files, expected) => {
    expect(errors(files)).toEqual(expected);
  });

  test('reports the versions that it does not bind', () => {
    const files = besideAnother(locked('torch', '2.1.0+cpu'), locked('b', '1'), locked('b', '2'));
    expect(constraints(files)).toEqual([]);
    expect(said(files)).toEqual([
      'setting_ignored: torch 2.1.0+cpu is a build of another index; a new version is chosen',
      'setting_ignored: The lock has no platforms for the versions of b; a new version is chosen',
    ]);
    expect(said({ ...toml, 'pdm.lock': '' })).toEqual([
      'setting_ignored: pdm.lock is not read, uv.lock and poetry.lock are; new versions are chosen',
    ]);
  });

  test('beside a deciding requirements.txt is not read', () => {
    const files = { ...uv(locked('a', '1.0')), 'requirements.txt': 'a\n' };
    expect(constraints(files)).toEqual([]);
    expect(read(files).sources).not.toContain('uv.lock');
  });
});

describe('a uv.lock beside its pyproject.toml', () => {
  const locked = (name: string, version: string, source = '{ registry = "https://pypi.org/simple" }') =>
    `[[package]]\nname = "${name}"\nversion = "${version}"\nsource = ${source}\n`;
  const own = (folder = '.') => locked('demo', '1.0', `{ virtual = "${folder}" }`);
  const lines = (files: Files) => resolverLines(read(files));

  test('is installed as it is: no requirement and no setting of its project is resolved again', () => {
    const files = {
      'pyproject.toml': project(
        'dependencies = ["a>=1", "b"]\n[tool.uv]\noverride-dependencies = ["b==3"]\nconstraint-dependencies = ["a<2"]\n',
      ),
      'uv.lock': `requires-python = ">=3.11"\n${locked('a', '1.5')}${locked('b', '3')}${own()}`,
    };
    expect(lines(files)).toEqual({ requirements: [], constraints: [] });
    expect(read(files)).toMatchObject({
      locked: { lock: 'uv.lock', folders: ['.'], packages: [] },
      requires_python: [{ specifier: '>=3.11', file: 'uv.lock', line: 1 }],
      findings: [],
    });
    expect(read(files).requirements.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  test('covers the members of its workspace, which langgraph.json need not name', () => {
    const member = (name: string, more: string) => `[project]\nname = "${name}"\nversion = "1"\n${more}`;
    const files = {
      'pyproject.toml': project(
        'dependencies = ["lib"]\n[tool.uv.sources]\nlib = { workspace = true }\n[tool.uv.workspace]\nmembers = ["packages/*"]\nexclude = ["packages/old"]\n',
      ),
      'packages/lib/pyproject.toml': member('lib', 'dependencies = ["deep", "a"]\n'),
      'packages/deep/pyproject.toml': member('deep', ''),
      'packages/other/pyproject.toml': member('other', 'dependencies = ["x @ https://example.com/x.whl"]\n'),
      'packages/old/pyproject.toml': member('old', ''),
      'uv.lock': `${own()}${locked('a', '1')}${locked('lib', '1', '{ editable = "packages/lib" }')}${locked('deep', '1', '{ editable = "packages/deep" }')}[manifest]\nmembers = ["demo", "deep", "lib", "other"]\n`,
    };
    expect(read(files)).toMatchObject({
      locked: { folders: ['.', 'packages/lib', 'packages/deep'], packages: [] },
      unlocked: [],
      findings: [],
    });
    expect(read(files).projects.map(({ name }) => name)).toEqual(['demo', 'lib', 'deep']);
    expect(sourceRoots(filesFromMap(new Map(Object.entries(files))))).toEqual(['.', 'packages/lib', 'packages/deep']);
    const named = { ...files, 'langgraph.json': langgraph('./packages/lib') };
    expect(read(named)).toMatchObject({ locked: { packages: ['demo', 'lib'] }, findings: [] });
  });

  test('of a workspace without a project covers all members', () => {
    const files = {
      'pyproject.toml': '[tool.uv.workspace]\nmembers = ["./libs/**"]\n',
      'libs/deep/one/pyproject.toml': '[project]\nname = "one"\nversion = "1"\ndependencies = ["a"]\n',
      'uv.lock': `${locked('a', '1')}${locked('one', '1', '{ virtual = "libs/deep/one" }')}[manifest]\nmembers = ["one"]\n`,
    };
    expect(read(files)).toMatchObject({ locked: { folders: ['.', 'libs/deep/one'], packages: [] }, unlocked: [] });
    expect(errors(files)).toEqual([]);
  });

  test('leaves the packages of other folders and of langgraph.json to the resolver', () => {
    const files = {
      'langgraph.json': langgraph('.', './extra', 'c>=1'),
      'pyproject.toml': project('dependencies = ["a"]'),
      'extra/requirements.txt': 'b\n',
      'uv.lock': `${own()}${locked('a', '1')}`,
    };
    expect(lines(files).requirements.map(({ line }) => line)).toEqual(['b', 'c>=1']);
  });

  test('has the dependencies that a build backend computed', () => {
    const files = { 'pyproject.toml': project('dynamic = ["dependencies"]\n'), 'uv.lock': own() };
    expect(errors(files)).toEqual([]);
  });

  test.each<[string, string, string[]]>([
    ['lacks a package', locked('b', '2'), ['`a>=1` is not in uv.lock']],
    ['has another version', `${locked('a', '0.9')}${locked('b', '2')}`, ['`a>=1` does not allow a 0.9 of uv.lock']],
    ['has a fitting version for another Python', `${locked('a', '0.9')}${locked('a', '1.0')}${locked('b', '2')}`, []],
    ['has a version that is not plain', `${locked('a', '0.9.post1')}${locked('b', '2')}`, []],
    ['overrides the version', `[manifest]\noverrides = [{ name = "a" }]\n${locked('a', '0.9')}${locked('b', '2')}`, []],
    ['excludes the package', `[manifest]\nexcludes = ["a"]\n${locked('b', '2')}`, []],
  ])('that %s is checked against it', (_, text, messages) => {
    const files = {
      'pyproject.toml': project('dependencies = [\n"a>=1",\n"b",\n"c; sys_platform == \'win32\'"]\n'),
      'uv.lock': text,
    };
    const found = read(files).findings;
    expect(found.map(({ message }) => message)).toEqual(messages);
    expect(found.map(({ file, line, suggestion }) => `${file}:${line} ${suggestion}`)).toEqual(
      messages.map(() => 'pyproject.toml:5 Lock it again: uv lock'),
    );
  });
});
