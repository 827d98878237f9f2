import type { Finding, FindingCode } from '../finding.ts';
import { frameworks, type Framework } from '../frameworks.ts';
import { lineFinder } from '../line-finder.ts';
import { findExports, max_source_length, type Binding, type PythonExports } from '../entrypoint/python-exports.ts';

export interface ExportQuestion {
  source: string;
  /** Its path, for findings. */
  file: string;
  framework: Framework;
  /** The name from `entrypoint`; undefined: one of the framework's names. */
  name: string | undefined;
}

/** Does this source bind a name that the framework needs? Returns that name and the faults. */
export function checkExport(question: ExportQuestion): { export_name?: string; findings: Finding[] } {
  const { source, file, framework } = question;
  const { exports, missing_export, export_is } = wanted(question);
  const find = lineFinder(source);
  const finding = (
    code: FindingCode,
    severity: Finding['severity'],
    offset: number,
    message: string,
    suggestion?: string,
  ): Finding => ({
    code,
    severity,
    message,
    file,
    ...find(offset),
    pointer: '',
    ...(suggestion === undefined ? {} : { suggestion }),
  });
  if (source.length > max_source_length) {
    const message = `${file} has ${source.length} characters, too many to check. The start of the agent shows whether it exports ${quoted(exports)}`;
    return { findings: [finding('export_not_certain', 'warning', 0, message)] };
  }

  const found = findExports(source);
  const findings = found.syntaxErrors
    .slice(0, 3)
    .map((offset) =>
      finding(
        'python_syntax',
        'warning',
        offset,
        'This looks like invalid Python',
        `Check it with \`python -m py_compile ${file}\`.`,
      ),
    );

  const name =
    exports.find((candidate) => isValue(found, candidate)) ?? exports.find((candidate) => found.names.has(candidate));
  const binding = name === undefined ? undefined : found.names.get(name);
  if (name !== undefined && binding !== undefined) {
    if (!mayBe(question, binding)) {
      const message = `${missing_export}: \`${name}\` is a ${binding.kind}, not ${export_is}`;
      const suggestion = `Bind its result under that name: \`${name} = …\` at module level.`;
      return { findings: [...findings, finding('export_not_a_value', 'error', binding.offset, message, suggestion)] };
    }
    if (
      question.name === undefined &&
      framework === 'langgraph' &&
      /(?:^|\.)(?:StateGraph|MessageGraph)$/.test(binding.made_by ?? '')
    ) {
      findings.push(
        finding(
          'graph_not_compiled',
          'warning',
          binding.offset,
          `\`${name}\` looks like a graph that is not compiled`,
          `Export \`${name}.compile()\`.`,
        ),
      );
    }
    return { export_name: name, findings };
  }

  const unsure = uncertainty(found, exports);
  if (unsure !== undefined) {
    const message = `${question.name === undefined ? `${missing_export} for certain` : `'${question.name}' is not visible in ${file}`}: ${unsure}; the start of the agent shows whether it is there`;
    return {
      findings: [
        ...findings,
        finding('export_not_certain', 'warning', 0, message, `Name it: \`from … import ${exports[0]}\`.`),
      ],
    };
  }
  const hidden = exports
    .map((candidate) => ({ candidate, ...found.elsewhere.get(candidate) }))
    .find(({ within }) => within !== undefined);
  const message =
    missing_export + (hidden?.within === undefined ? '' : `: \`${hidden.candidate}\` is inside ${hidden.within}`);
  const suggestion =
    hidden?.within === undefined
      ? `Bind ${export_is} at module level: \`${exports[0]} = …\`.`
      : `Bind it at module level: \`${hidden.candidate} = …\`, not indented.`;
  return { findings: [...findings, finding('export_missing', 'error', hidden?.offset ?? 0, message, suggestion)] };
}

interface Wanted {
  exports: readonly [string, ...string[]];
  missing_export: string;
  export_is: string;
}

function wanted({ file, framework, name }: ExportQuestion): Wanted {
  if (name === undefined) return frameworks[framework];
  const { entry_is } = frameworks[framework];
  return {
    exports: [name],
    missing_export: `${file} binds no '${name}', the name of the agent`,
    export_is: entry_is,
  };
}

/** With `entrypoint` the name can be a factory of the agent; a class can only be one for crewai. */
function mayBe({ framework, name }: ExportQuestion, { kind }: Binding): boolean {
  if (kind === 'function') return name !== undefined;
  return kind !== 'class' || (name !== undefined && framework === 'crewai');
}

function isValue(found: PythonExports, name: string): boolean {
  const kind = found.names.get(name)?.kind;
  return kind === 'value' || kind === 'import';
}

/** A way in which the module could bind an invisible name. */
function uncertainty(found: PythonExports, exports: readonly string[]): string | undefined {
  if (found.importStar) return '`import *` can bind one';
  if (found.names.has('__getattr__')) return '`__getattr__` of the module can return one';
  const global = exports.find((name) => found.globals.has(name));
  return global === undefined ? undefined : `a function can set \`${global}\``;
}

const quoted = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(' or ');
