import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseAgentYaml } from '../agent-yaml.ts';
import { applyEdits, type Finding } from '../finding.ts';

const least = 'name: greeter\nversion: 1.0.0\nteam: ml\nframework: langgraph\n';
const codesOf = (text: string): string[] => parseAgentYaml(text).findings.map(({ code }) => code);

describe('for any text', () => {
  const yamlish = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          'name',
          'deploy',
          'tools',
          ': ',
          '\n',
          '  ',
          '- ',
          '[',
          ']',
          '{',
          '}',
          '"',
          "'",
          '|',
          '&a ',
          '*a',
          '!!x',
          '<<',
          '#',
          '\t',
          ',',
          '? ',
          '%',
          '1',
          '__proto__',
        ),
        fc.string({ maxLength: 4 }),
      ),
      { maxLength: 60 },
    )
    .map((parts) => parts.join(''));

  test('parsing never throws, and gives a config exactly when there is no error', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary', maxLength: 200 }),
          yamlish,
          yamlish.map((tail) => least + tail),
        ),
        (text) => {
          const { config, findings } = parseAgentYaml(text);
          expect(config === undefined).toBe(findings.some(({ severity }) => severity === 'error'));
          const isInside = ({ line, column, edit }: Finding): boolean =>
            line > 0 && column > 0 && (edit === undefined || (edit.start <= edit.end && edit.end <= text.length));
          expect(findings.filter((finding) => !isInside(finding))).toEqual([]);
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('the same text gives the same answer, and the edits always leave a readable file', () => {
    fc.assert(
      fc.property(yamlish, (tail) => {
        const text = least + tail;
        const first = parseAgentYaml(text);
        expect(parseAgentYaml(text)).toEqual(first);
        const isReadable = !first.findings.some(({ code }) => code.startsWith('yaml_'));
        const isMendedReadable = !codesOf(applyEdits(text, first.findings)).includes('yaml_syntax');
        expect(isMendedReadable || !isReadable).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('hostile text within the limits costs little', () => {
    const size = 131_000;
    const hostile = {
      keys: Array.from({ length: 1200 }, (_, index) => `k${index}: 1`).join('\n'),
      aliases: `a: &a [x]\nb: [${'*a,'.repeat(2000)}]`,
      lines: `a: ${'x\n  '.repeat(size / 4)}`,
      folded: `a: >\n${'  x\n\n'.repeat(size / 5)}`,
      blank: `a: "${'\n'.repeat(size)}"`,
      quotes: `a: '${"''".repeat(size / 2 - 9)}'`,
      commas: `a: [${','.repeat(4900)}`,
      spaces: ' '.repeat(size),
      digits: `a: ${'1'.repeat(size - 9)}x`,
      email: `owner: ${'a.'.repeat(size / 2 - 99)}`,
      digitsAndDots: `version: ${'1.'.repeat(size / 2 - 99)}`,
    };
    for (const [name, text] of Object.entries(hostile)) {
      parseAgentYaml(text);
      const fastest = Math.min(...Array.from({ length: 3 }, () => milliseconds(() => parseAgentYaml(text))));
      // 50 ms on a quiet machine; tests share theirs. Quadratic cost takes seconds.
      expect({ name, isQuick: fastest < 400 }).toEqual({ name, isQuick: true });
    }
  });
});

function milliseconds(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}
