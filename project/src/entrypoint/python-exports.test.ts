import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findExports, max_source_length } from './python-exports.ts';

const namesOf = (source: string): string[] => [...findExports(source).names.keys()];

describe('a name is bound at module level by', () => {
  test.each([
    ['an assignment', 'graph = build()'],
    ['an annotated assignment', 'graph: CompiledGraph = build()'],
    ['a chain', 'x = graph = build()'],
    ['a tuple', 'x, graph = build()'],
    ['a nested target', '(x, [y, *graph]) = build()'],
    ['a second statement of a line', 'x = 1; graph = 2'],
    ['a walrus', 'if (graph := build()): pass'],
    ['a walrus in a comprehension', 'x = [graph := y for y in z]'],
    ['an import', 'import graph'],
    ['an import under another name', 'import my.module as graph'],
    ['the first part of a dotted import', 'import graph.nodes'],
    ['a re-export', 'from my_graph import graph'],
    ['a renaming re-export', 'from .pkg.mod import build_it as graph, other'],
    ['one of several in brackets', 'from x import (\n  a,\n  graph, # this\n)'],
    ['an if', 'if x:\n  graph = 1'],
    ['an else', 'if TYPE_CHECKING:\n  y = 1\nelse:\n  graph = 1'],
    ['an elif', 'if x:\n  pass\nelif y:\n  graph = 1'],
    ['a try', 'try:\n  graph = 1\nexcept E:\n  raise'],
    ['an except', 'try:\n  x\nexcept E as e:\n  graph = 1'],
    ['a finally', 'try:\n  x\nfinally:\n  graph = 1'],
    ['a with', 'with x() as graph:\n  pass'],
    ['the body of a with', 'with x() as y, z:\n  graph = 1'],
    ['an async with', 'async with x() as graph:\n  pass'],
    ['a for', 'for graph in x: pass'],
    ['the body of a for', 'for i, j in x:\n  graph = 1'],
    ['a while', 'while True:\n  graph = 1\n  break'],
    ['a match', 'match x:\n  case 1:\n    graph = 1'],
    ['a capture', 'match x:\n  case {"a": graph}:\n    pass'],
    ['a decorated function', '@entrypoint()\nasync def graph(x): ...'],
    ['deep nesting', 'if a:\n  try:\n    with b:\n      for c in d:\n        graph = 1\n  except E: pass'],
    ['the last line without a line break', 'import x\ngraph = x.y'],
    ['a file with a byte order mark', '\uFEFFgraph = 1'],
    ['windows line ends', 'if x:\r\n  graph = 1\r\n'],
  ])('%s', (_, source) => {
    const { names, syntaxErrors } = findExports(source);
    expect([...names.keys()]).toContain('graph');
    expect(syntaxErrors).toEqual([]);
  });
});

describe('a name is not bound by', () => {
  test.each([
    ['a function around it', 'def build():\n  graph = 1'],
    ['a class around it', 'class A:\n  graph = 1'],
    ['a function inside an if', 'if x:\n  def f():\n    graph = 1'],
    ['a nested function', 'def graph_of():\n  def graph(): ...'],
    ['an annotation alone', 'graph: int'],
    ['an augmented assignment', 'graph += 1'],
    ['an attribute', 'x.graph = 1'],
    ['an item', 'x["graph"] = 1'],
    ['an argument', 'f(graph=1)'],
    ['a parameter', 'def f(graph): ...'],
    ['a lambda', 'f = lambda graph: (graph := 1)'],
    ['a comprehension variable', 'x = [graph for graph in y]'],
    ['a comment', '# graph = 1'],
    ['a string', 'x = """\ngraph = 1\n"""'],
    ['an import of something in it', 'from graph import x'],
    ['a renamed import', 'from x import graph as y'],
    ['only a type checker', 'if TYPE_CHECKING:\n  from x import graph'],
    ['only a type checker, with its module', 'if typing.TYPE_CHECKING:\n  from x import graph'],
    ['running the file as a program', 'if __name__ == "__main__":\n  graph = 1'],
    ['running it as a program, nested', "if '__main__' == __name__:\n  if x:\n    graph = 1"],
    ['an assignment that is taken back', 'graph = 1\ndel graph'],
  ])('%s', (_, source) => {
    expect(namesOf(source)).not.toContain('graph');
  });
});

test('functions and classes differ from values, and the last binding counts', () => {
  const { names } = findExports(
    'def graph(): ...\nclass crew: ...\nagent = StateGraph(State)\nagent = agent.compile()\n',
  );
  expect(names.get('graph')?.kind).toBe('function');
  expect(names.get('crew')?.kind).toBe('class');
  expect(names.get('agent')).toMatchObject({ kind: 'value', made_by: 'agent.compile' });
});

test('a hidden name is reported with its place', () => {
  expect(findExports('class Team:\n  @crew\n  def crew(self): ...').elsewhere.get('crew')).toEqual({
    offset: 26,
    within: 'the class Team',
  });
});

test('import * and global leave the answer open', () => {
  expect(findExports('from x import *').importStar).toBe(true);
  expect(findExports('def f():\n  from x import *').importStar).toBe(false);
  expect([...findExports('def f():\n  global graph\n  graph = 1').globals]).toEqual(['graph']);
});

test('a syntax error has a place, and later names are still found', () => {
  const { names, syntaxErrors } = findExports('def f(:\n  pass\n\ngraph = 1\n');
  expect(syntaxErrors[0]).toBe(6);
  expect([...names.keys()]).toContain('graph');
});

test('reading never throws, for any source', () => {
  const pythonish = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          'graph',
          ' = ',
          '\n',
          '  ',
          'def ',
          'class ',
          'if ',
          ':',
          'import ',
          'from ',
          'as ',
          '*',
          '(',
          ')',
          '[',
          ']',
          ',',
          '"',
          "'''",
          'f"{',
          'match ',
          'case ',
          'with ',
          'global ',
          'del ',
          'lambda ',
          ':=',
          '@',
          '#',
          '\\',
        ),
        fc.string({ maxLength: 3 }),
      ),
      { maxLength: 80 },
    )
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), pythonish), (source) => {
      for (const { offset } of findExports(source).names.values()) expect(offset).toBeLessThan(source.length);
    }),
    { numRuns: 1000 },
  );
});

test('nesting of any depth is read', () => {
  for (const [open, before] of [
    ['(', 'x = '],
    ['[{(', 'x = '],
    ['def f():\n ', ''],
    ['f"{', 'x = '],
    ['a,', 'x = '],
    ['-', 'x = '],
    ['lambda:', 'x = '],
  ] as const) {
    const source = (before + open.repeat(max_source_length)).slice(0, max_source_length);
    expect(findExports(source).importStar).toBe(false);
  }
});
