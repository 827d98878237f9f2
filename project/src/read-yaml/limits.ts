import { CST, Lexer } from 'yaml';

/** Measured: a hostile file within these costs less than 50 ms on one slow core. A large real one has 5,000 characters and 800 tokens. */
export const yamlLimits = { characters: 131_072, tokens: 5_000, depth: 32 } as const;

/**
 * Reads only the tokens, before any recursion. Composing 20,000 nested lists overflows the stack. When V8 compiles a regular expression at
 * that moment, it ends the process instead of throwing.
 */
export function beyondYamlLimits(
  text: string,
  limits: { tokens: number; depth: number } = yamlLimits,
): { offset: number; message: string } | undefined {
  /** Columns at which block collections are open. */
  const open: number[] = [];
  let [flow, tokens, offset, lineStart] = [0, 0, 0, 0];
  let previous: string | null = 'newline';
  for (const token of new Lexer().lex(text)) {
    const type = CST.tokenType(token);
    // These three are states of the lexer, not text.
    if (type === 'doc-mode' || type === 'flow-error-end' || type === 'scalar') continue;

    if (type === 'flow-map-start' || type === 'flow-seq-start') flow++;
    else if (type === 'flow-map-end' || type === 'flow-seq-end') flow--;
    else if (flow <= 0 && type !== 'space' && (previous === 'newline' || opens.has(type))) {
      const column = offset - lineStart;
      if (previous === 'newline') while ((open.at(-1) ?? -1) >= column) open.pop();
      // A colon after a key opens nothing by itself; a colon after another indicator does.
      if (type !== 'map-value-ind' || previous === 'newline' || opens.has(previous)) open.push(column);
    }
    if (++tokens > limits.tokens) return { offset, message: `The file has more than ${limits.tokens} parts` };
    if (open.length + flow > limits.depth)
      return { offset, message: `The file is nested deeper than ${limits.depth} levels` };

    offset += token.length;
    if (token.endsWith('\n')) [previous, lineStart] = ['newline', offset];
    else if (type !== 'space') previous = type;
  }
  return undefined;
}

/** Indicators that open a collection in the middle of a line, as in `- - - x`. */
const opens: ReadonlySet<string | null> = new Set(['seq-item-ind', 'explicit-key-ind', 'map-value-ind']);
