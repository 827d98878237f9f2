// A fault or a notice at one place of a project's files. Findings are collected, never thrown: a report has all faults of a file at
// once. They appear unchanged in a problem document's `errors[]`.

/** Stable: clients and tests match codes, people read the message. */
const findingCodes = [
  // The text of a YAML file
  'yaml_too_large',
  'yaml_not_text',
  'yaml_byte_order_mark',
  'yaml_too_deep',
  'yaml_syntax',
  'yaml_tab',
  'yaml_multiple_documents',
  'yaml_duplicate_key',
  'yaml_alias',
  'yaml_merge_key',
  'yaml_tag',
  'yaml_directive',
  'yaml_key_not_text',
  'yaml_forbidden_key',
  'yaml_number_form',
  'yaml_empty',
  // The content of agent.yaml
  'missing_field',
  'unknown_field',
  'wrong_type',
  'invalid_value',
  'secret_in_config',
  'duplicate_entry',
  'reserved_name',
  'not_in_effect',
  'no_default_route',
  'public_means_org',
  'egress_open',
  'egress_missing',
  'egress_not_http',
  'model_access',
  'model_format',
  'rule_test_failed',
  // The files of a project
  'missing_file',
  'not_a_file',
  'not_utf8',
  'file_too_large',
  'project_too_large',
  'unsafe_path',
  'file_refused',
  // The files of a skill
  'front_matter',
  'hidden_character',
  'secret_in_file',
  // agent.py
  'export_missing',
  'export_not_certain',
  'export_not_a_value',
  'graph_not_compiled',
  'python_syntax',
  'two_agents',
  // langgraph.json
  'json_syntax',
  // The files that name dependencies
  'no_dependency_file',
  'two_dependency_files',
  'toml_syntax',
  'project_dynamic',
  'not_installed',
  'setting_ignored',
  'python_unreadable',
  'requirement_unreadable',
  'requirement_refused',
  'dependency_conflict',
  'more_findings',
] as const;
export type FindingCode = (typeof findingCodes)[number];

/** Replaces the text from `start` to `end`, both UTF-16 offsets into the original file. */
export type Edit = { start: number; end: number; text: string };

export type Finding = {
  code: FindingCode;
  /** An error stops validation and deploy; a warning and a notice do not. */
  severity: 'error' | 'warning' | 'notice';
  message: string;
  file: string;
  /** Both count from 1. */
  line: number;
  column: number;
  /** JSON pointer of the value in a YAML file; empty for the file as a whole and for other files. */
  pointer: string;
  /** The fix. */
  suggestion?: string;
  edit?: Edit;
};

export const hasErrors = (findings: readonly Finding[]): boolean =>
  findings.some(({ severity }) => severity === 'error');

/** Applies the edits of one file's findings; of overlapping edits only the first. */
export function applyEdits(text: string, findings: readonly Finding[]): string {
  const edits = findings
    .flatMap(({ edit }) => (edit === undefined ? [] : [edit]))
    .toSorted((a, b) => a.start - b.start || a.end - b.end);
  let result = '';
  let from = 0;
  for (const { start, end, text: replacement } of edits) {
    if (start < from) continue;
    result += text.slice(from, start) + replacement;
    from = end;
  }
  return result + text.slice(from);
}

/** A hostile file can have a fault per byte. */
const most = 100;

/** In the order of the file, at most a hundred. */
export function inOrder(findings: readonly Finding[]): Finding[] {
  const sorted = findings.toSorted((a, b) => a.line - b.line || a.column - b.column);
  const last = sorted[most];
  if (last === undefined) return sorted;
  const severity = hasErrors(sorted.slice(most)) ? 'error' : 'notice';
  const message = `${sorted.length - most} more findings are not shown; fix these first`;
  return [
    ...sorted.slice(0, most),
    { ...last, code: 'more_findings', severity, message, suggestion: undefined, edit: undefined },
  ];
}
