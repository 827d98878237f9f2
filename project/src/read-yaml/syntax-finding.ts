import type { ErrorCode, YAMLParseError } from 'yaml';
import type { Finding } from '../finding.ts';
import type { YamlSource } from '../read-yaml.ts';

/** An error of the YAML library as a finding, with the fix where one is known. */
export function syntaxFinding({ text, finding }: YamlSource, error: YAMLParseError): Finding {
  const offset = Math.min(error.pos[0], text.length);
  if (error.code === 'TAB_AS_INDENT') return tabFinding(text, finding, offset);
  if (error.code === 'MULTIPLE_DOCS') {
    return finding('yaml_multiple_documents', offset, 'The file holds more than one YAML document', {
      suggestion: 'Keep the first, and remove everything from the second `---` on.',
    });
  }
  return finding('yaml_syntax', offset, error.message, { suggestion: suggestions[error.code] });
}

function tabFinding(text: string, finding: YamlSource['finding'], offset: number): Finding {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const indent = /^[ \t]*/.exec(text.slice(start))?.[0] ?? '';
  const edit = indent.includes('\t')
    ? { start, end: start + indent.length, text: indent.replaceAll('\t', '  ') }
    : undefined;
  return finding('yaml_tab', offset, 'A tab cannot indent YAML', { suggestion: 'Use spaces.', edit });
}

const suggestions: Partial<Record<ErrorCode, string>> = {
  BAD_ALIAS: 'Quote text that starts with `*`.',
  BAD_SCALAR_START: 'Quote text that starts with a special character.',
  BAD_INDENT: 'Align the fields of one map in one column.',
  MISSING_CHAR: 'Look for a missing colon, comma, quote or bracket.',
  MULTILINE_IMPLICIT_KEY: 'Look for a missing colon after the key.',
  BLOCK_AS_IMPLICIT_KEY: 'Quote text that holds a colon and a space.',
  UNEXPECTED_TOKEN: 'Quote text that holds special characters, and check the indentation.',
};
