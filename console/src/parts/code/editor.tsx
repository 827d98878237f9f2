import { autocompletion, closeBrackets, completionKeymap, type CompletionSource } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { indentUnit } from '@codemirror/language';
import { forceLinting, linter, lintGutter, lintKeymap, type Diagnostic } from '@codemirror/lint';
import { search, searchKeymap } from '@codemirror/search';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import type { Finding } from '@gantry/project/finding.ts';
import { useEffect, useRef } from 'react';
import type { Language } from './language.ts';
import { grammarOf, look } from './look.ts';
import { completeBySchema, type Schema } from './complete-by-schema.ts';

interface EditorProps {
  value: string;
  onChange: (value: string) => void;
  language: Language;
  /** Read aloud. */
  label: string;
  /** The faults of the present value, by the contract's own rules. */
  findings?: readonly Finding[];
  /** Completes the keys and the values of YAML. */
  schema?: Schema | undefined;
}

const none: readonly Finding[] = [];

/** Escape, then Tab leaves it. */
export function Editor({ value, onChange, language, label, findings = none, schema }: EditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const current = useRef({ onChange, findings });
  useEffect(() => {
    current.current = { onChange, findings };
    if (view.current !== null) forceLinting(view.current);
  });
  useEffect(() => {
    const made = new EditorView({
      doc: value,
      extensions: [
        look,
        lineNumbers(),
        history(),
        closeBrackets(),
        indentUnit.of('  '),
        grammarOf(language),
        linter(({ state }) => current.current.findings.flatMap((finding) => diagnosticOf(finding, state.doc)), {
          delay: 150,
          needsRefresh: () => true,
        }),
        lintGutter(),
        completionOf(schema),
        search({ top: true }),
        keymap.of([
          ...completionKeymap,
          ...lintKeymap,
          ...searchKeymap,
          ...historyKeymap,
          ...defaultKeymap,
          indentWithTab,
        ]),
        EditorView.contentAttributes.of({ 'aria-label': label }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) current.current.onChange(state.doc.toString());
        }),
      ],
      ...(place.current !== null && { parent: place.current }),
    });
    // A long line scrolls, also by keys.
    made.scrollDOM.tabIndex = 0;
    view.current = made;
    return () => made.destroy();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the editor keeps its text while it lives; the next effect has a value from outside
  }, [language, label, schema]);
  useEffect(() => {
    const editor = view.current;
    if (editor === null || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);
  return <div ref={place} className="overflow-hidden rounded border border-line-strong bg-raised" />;
}

function completionOf(schema: Schema | undefined) {
  const source: CompletionSource | undefined = schema && completeBySchema(schema);
  return source === undefined ? [] : autocompletion({ override: [source], icons: false });
}

function diagnosticOf(finding: Finding, doc: EditorView['state']['doc']): Diagnostic[] {
  if (finding.line > doc.lines) return [];
  const line = doc.line(finding.line);
  const from = Math.min(line.from + finding.column - 1, line.to);
  const word = /^[\w./@-]+/.exec(line.text.slice(from - line.from))?.[0].length ?? 1;
  const { edit, suggestion, severity, message } = finding;
  return [
    {
      from,
      to: Math.min(from + word, line.to),
      severity: severity === 'notice' ? 'info' : severity,
      message: suggestion === undefined ? message : `${message}\n${suggestion}`,
      ...(edit !== undefined && {
        actions: [
          {
            name: 'Fix',
            apply: (view: EditorView) =>
              view.dispatch({ changes: { from: edit.start, to: edit.end, insert: edit.text } }),
          },
        ],
      }),
    },
  ];
}
