// The names that a Python module binds at module level, read from its source without running it. As in Python, assignments, imports,
// definitions, and targets of loops and `with` bind names. They also do so below if, try, for, while, with and match. Names inside a
// function or a class do not count. Nor do names that only type checkers or `python agent.py` reach.
import { parser } from '@lezer/python';
import { readReturns } from './python-returns.ts';

export interface Binding {
  /** A decorator can turn a function into any value, so a decorated function is a value. */
  kind: 'value' | 'import' | 'function' | 'class';
  /** Offset of the name. */
  offset: number;
  /** The call that makes the value: `StateGraph` in `graph = StateGraph(State)`. */
  made_by?: string;
  /** The decorators of a function or class, the outermost first: `CrewBase`. */
  decorators?: readonly string[];
  /** The last names of a class's bases: `Flow` of `class Research(crewai.flow.Flow[State])`. */
  bases?: readonly string[];
  /** The last names of the calls whose results a function returns: `compile` of `return builder.compile()`. */
  returns?: readonly string[];
  /** For a function: the number of its parameters without a default. */
  required_parameters?: number;
}

export interface PythonExports {
  /** The last binding of each name at module level. */
  names: ReadonlyMap<string, Binding>;
  /** `from x import *` can bind any name. */
  importStar: boolean;
  /** Names that a function binds at module level when called. */
  globals: ReadonlySet<string>;
  /** Names that an import of the module does not bind, with their place, such as `the function build`. */
  elsewhere: ReadonlyMap<string, { offset: number; within: string }>;
  /** Offsets of parse errors. The parser does not cover all of Python, so they are hints. */
  syntaxErrors: readonly number[];
}

/** Longer source is not parsed: hostile source costs four seconds a megabyte, and a handwritten entry file is shorter. */
export const max_source_length = 131_072;

export function findExports(source: string): PythonExports {
  if (source.length > max_source_length) throw new RangeError(`source of ${source.length} characters`);
  const found: Found = {
    source,
    names: new Map(),
    importStar: false,
    globals: new Set(),
    elsewhere: new Map(),
    syntaxErrors: [],
  };
  // An explicit stack, because hostile code nests without limit. A byte order mark would become part of the first name; a line break in
  // its place keeps every offset.
  const pending: Place[] = [{ node: parser.parse(source.replace(/^\uFEFF/, '\n')).topNode, within: undefined }];
  for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
    for (const next of visit(found, place).toReversed()) pending.push(next);
  }
  return found;
}

type Node = ReturnType<typeof parser.parse>['topNode'];

interface Place {
  node: Node;
  /** The construct that hides the node from an import of the module; undefined at module level. */
  within: string | undefined;
}

interface Found extends PythonExports {
  source: string;
  names: Map<string, Binding>;
  globals: Set<string>;
  elsewhere: Map<string, { offset: number; within: string }>;
  syntaxErrors: number[];
}

/** Records the names that one node binds, and returns the next nodes in source order. */
function visit(found: Found, place: Place): Place[] {
  const { node, within } = place;
  if (node.type.isError) {
    found.syntaxErrors.push(node.from);
    return [];
  }
  switch (node.name) {
    case 'FunctionDefinition':
    case 'ClassDefinition':
      return visitDefinition(found, place);
    case 'LambdaExpression':
      return [];
    case 'IfStatement':
      return branchesOf(found, place);
    case 'ScopeStatement':
      if (textOf(found, node).startsWith('global'))
        for (const name of node.getChildren('VariableName')) found.globals.add(textOf(found, name));
      return [];
    case 'DeleteStatement':
      // Only where it is certain to run: below a condition the name may survive.
      if (node.parent?.name === 'Script')
        for (const name of node.getChildren('VariableName')) found.names.delete(textOf(found, name));
      return [];
    case 'ImportStatement':
      if (within === undefined && node.getChild('*') !== null) found.importStar = true;
      for (const name of importedNames(node)) bind(found, name, within, { kind: 'import' });
      return childrenOf(node)
        .filter(({ type }) => type.isError)
        .map((child) => ({ node: child, within }));
  }
  for (const { name, made_by } of targetsOf(found, node))
    bind(found, name, within, { kind: 'value', ...(made_by === undefined ? {} : { made_by }) });
  return childrenOf(node).map((child) => ({ node: child, within }));
}

function visitDefinition(found: Found, { node, within }: Place): Place[] {
  const name = node.getChild('VariableName');
  if (name === null) return [];
  const kind = node.name === 'ClassDefinition' ? 'class' : 'function';
  const decorators = decoratorsOf(found, node);
  const bases = kind === 'class' ? basesOf(found, node) : [];
  const isFactory = kind === 'function' && within === undefined && decorators.length === 0;
  const more = { ...(bases.length > 0 ? { bases } : {}), ...(isFactory ? readReturns(found.source, node) : {}) };
  bind(found, name, within, decorators.length > 0 ? { kind: 'value', decorators, ...more } : { kind, ...more });
  return childrenOf(node).map((child) => ({ node: child, within: `the ${kind} ${textOf(found, name)}` }));
}

/** `CrewBase` of `@CrewBase` and `entrypoint` of `@entrypoint(checkpointer=saver)`. */
function decoratorsOf(found: Found, definition: Node): string[] {
  if (definition.parent?.name !== 'DecoratedStatement') return [];
  return definition.parent.getChildren('Decorator').map((decorator) =>
    textOf(found, decorator)
      .slice(0, 200)
      .replace(/^@\s*/, '')
      .replace(/[\s(][^]*$/, ''),
  );
}

function basesOf(found: Found, definition: Node): string[] {
  const list = definition.getChild('ArgList');
  return childrenOf(list ?? definition)
    .filter(({ name }) => list !== null && ['VariableName', 'MemberExpression'].includes(name))
    .flatMap((base) => /^[\w.]*?(\w+)\s*(?:\[|$)/.exec(textOf(found, base).slice(0, 200))?.[1] ?? []);
}

/** Each body of an if belongs to the condition before it. */
function branchesOf({ source }: Found, { node, within }: Place): Place[] {
  let condition = '';
  return childrenOf(node).map((child) => {
    if (child.name === 'Body') return { node: child, within: within ?? neverImported(condition) };
    condition = child.name === 'else' ? '' : source.slice(child.from, Math.min(child.to, child.from + 100));
    return { node: child, within };
  });
}

function neverImported(condition: string): string | undefined {
  if (/^\(?\s*(?:typing\s*\.\s*)?TYPE_CHECKING\s*\)?$/.test(condition)) return 'if TYPE_CHECKING';
  if (/^\(?\s*(?:__name__\s*==\s*(["'])__main__\1|(["'])__main__\2\s*==\s*__name__)\s*\)?$/.test(condition))
    return "if __name__ == '__main__'";
  return undefined;
}

function bind(found: Found, name: Node, within: string | undefined, binding: Omit<Binding, 'offset'>): void {
  const text = textOf(found, name);
  if (within === undefined) found.names.set(text, { ...binding, offset: name.from });
  else if (!found.elsewhere.has(text)) found.elsewhere.set(text, { offset: name.from, within });
}

/** `import a.b, c as d` binds a and d; `from x import a, b as c` binds a and c. */
function importedNames(node: Node): Node[] {
  const isFrom = node.firstChild?.name === 'from';
  const names: Node[] = [];
  let [current, renamed, past]: [Node | undefined, boolean, boolean] = [undefined, false, false];
  for (const child of childrenOf(node)) {
    if (child.name === 'import') past = true;
    else if (child.name === 'as') renamed = true;
    else if (child.name === ',') {
      if (current !== undefined) names.push(current);
      [current, renamed] = [undefined, false];
    } else if (past && child.name === 'VariableName' && (current === undefined || renamed || isFrom)) current = child;
  }
  return current === undefined ? names : [...names, current];
}

/** The names that a statement or a walrus binds directly, without its body. */
function targetsOf(found: Found, node: Node): { name: Node; made_by?: string }[] {
  const children = childrenOf(node);
  switch (node.name) {
    case 'AssignStatement':
    case 'NamedExpression': {
      // `x: int` without a value declares but does not bind.
      const last = children.findLastIndex(({ name }) => name === 'AssignOp');
      const targets = children.slice(0, Math.max(last, 0));
      const value = children[last + 1];
      const callee = value?.name === 'CallExpression' && last + 2 === children.length ? value.firstChild : null;
      const made_by =
        callee === null || targets.some(({ name }) => name === ',') ? undefined : textOf(found, callee).slice(0, 200);
      return targets.flatMap((target) =>
        variablesIn(target).map((name) => (made_by === undefined ? { name } : { name, made_by })),
      );
    }
    case 'ForStatement':
      return between(children, 'for', 'in')
        .flatMap(variablesIn)
        .map((name) => ({ name }));
    case 'WithStatement':
      return children
        .flatMap((child, index) => (children[index - 1]?.name === 'as' ? variablesIn(child) : []))
        .map((name) => ({ name }));
    case 'CapturePattern':
      return children.filter(({ name }) => name === 'VariableName').map((name) => ({ name }));
    default:
      return [];
  }
}

/** `a, (b, [*c])` → a, b, c; `x.y` and `x[0]` bind no name. */
function variablesIn(target: Node): Node[] {
  const found: Node[] = [];
  const pending = [target];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.name === 'VariableName') found.push(node);
    else if (sequences.has(node.name)) for (const child of childrenOf(node).toReversed()) pending.push(child);
  }
  return found;
}

const sequences: ReadonlySet<string> = new Set(['TupleExpression', 'ArrayExpression', 'ParenthesizedExpression']);

function between(nodes: readonly Node[], first: string, last: string): Node[] {
  const start = nodes.findIndex(({ name }) => name === first);
  const end = nodes.findIndex(({ name }) => name === last);
  return nodes.slice(start + 1, Math.max(end, start + 1));
}

function childrenOf(node: Node): Node[] {
  const children: Node[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child);
  return children;
}

const textOf = ({ source }: Found, node: Node): string => source.slice(node.from, node.to);
