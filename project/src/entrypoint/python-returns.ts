// The calls whose results a Python function returns: `compile` of `return builder.compile()`, and of `graph = builder.compile()` with
// `return graph`. Nested functions and classes do not count.
import type { parser } from '@lezer/python';

type Node = ReturnType<(typeof parser)['parse']>['topNode'];

export interface Returned {
  /** The last names of the called functions. */
  returns: readonly string[];
  /** The number of parameters without a default. */
  required_parameters: number;
}

export function readReturns(source: string, definition: Node): Returned {
  const textOf = (node: Node) => source.slice(node.from, Math.min(node.to, node.from + longest));
  const calls = new Map<string, string>();
  const returned: Node[] = [];
  const body = definition.getChild('Body');
  // An explicit stack, because hostile code nests without limit.
  const pending = body === null ? [] : [body];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const value = node.name === 'ReturnStatement' ? (node.firstChild?.nextSibling ?? null) : null;
    if (value !== null) returned.push(value);
    if (node.name === 'AssignStatement') {
      const name = node.firstChild;
      const callee = node.lastChild === null ? undefined : calleeOf(node.lastChild, textOf);
      if (name?.name === 'VariableName' && callee !== undefined) calls.set(textOf(name), callee);
    }
    if (blocks.test(node.name))
      for (let child = node.lastChild; child !== null; child = child.prevSibling) pending.push(child);
  }
  const returns = returned.flatMap((node) => calleeOf(node, textOf) ?? calls.get(textOf(node)) ?? []);
  return { returns: [...new Set(returns)], required_parameters: requiredParameters(definition) };
}

const longest = 200;

/** Statements are read, expressions and definitions are not. */
const blocks = /^(?:Body|IfStatement|TryStatement|WithStatement|ForStatement|WhileStatement)$/;

function calleeOf(node: Node, textOf: (node: Node) => string): string | undefined {
  if (node.name !== 'CallExpression' || node.firstChild === null) return undefined;
  const { firstChild } = node;
  const last = firstChild.name === 'MemberExpression' ? firstChild.lastChild : firstChild;
  return last === null ? undefined : textOf(last);
}

function requiredParameters(definition: Node): number {
  let required = 0;
  let part: 'name' | 'rest' = 'name';
  for (let child = definition.getChild('ParamList')?.firstChild ?? null; child !== null; child = child.nextSibling) {
    if (child.name === ',') part = 'name';
    else if (child.name === '*' || child.name === '**') part = 'rest';
    else if (child.name === 'AssignOp') required -= 1;
    else if (child.name === 'VariableName' && part === 'name') {
      required += 1;
      part = 'rest';
    }
  }
  return required;
}
