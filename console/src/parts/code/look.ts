// The look of code: the console's tokens, in both themes. The style elements carry the nonce of the page.
import { json } from '@codemirror/lang-json';
import { python } from '@codemirror/lang-python';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { Language } from './language.ts';

const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--color-code-name)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--color-code-string)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--color-code-number)' },
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--color-code-keyword)' },
  { tag: [tags.function(tags.variableName), tags.className, tags.typeName], color: 'var(--color-code-name)' },
  { tag: [tags.comment, tags.meta], color: 'var(--color-quiet)' },
  { tag: tags.invalid, color: 'var(--color-failed)' },
]);

const sheet = EditorView.theme({
  '&': { backgroundColor: 'var(--color-raised)', color: 'var(--color-text)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', fontSize: 'var(--text-meta)', lineHeight: '20px' },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--color-text)' },
  '.cm-cursor': { borderLeftColor: 'var(--color-text)' },
  '.cm-line': { padding: '0 12px 0 8px' },
  '.cm-gutters': {
    backgroundColor: 'var(--color-raised)',
    color: 'var(--color-quiet)',
    borderRight: '1px solid var(--color-line)',
  },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '36px', padding: '0 8px 0 4px' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--color-hover)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--color-selection)',
  },
  '.cm-searchMatch': { backgroundColor: 'var(--color-waiting-soft)', outline: '1px solid var(--color-waiting)' },
  '.cm-panels, .cm-tooltip': {
    backgroundColor: 'var(--color-raised)',
    color: 'var(--color-text)',
    border: '1px solid var(--color-line)',
  },
  '.cm-tooltip': { borderRadius: 'var(--radius)', boxShadow: 'var(--shadow-float)', overflow: 'hidden' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--font-mono)', fontSize: 'var(--text-meta)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--color-accent-soft)',
    color: 'var(--color-text)',
  },
  '.cm-completionDetail': { color: 'var(--color-quiet)', fontStyle: 'normal' },
  '.cm-completionInfo': { padding: '8px 10px', maxWidth: '320px', fontFamily: 'var(--font-sans)' },
  '.cm-diagnostic': { padding: '6px 10px', fontFamily: 'var(--font-sans)', fontSize: 'var(--text-meta)' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--color-failed)' },
  '.cm-diagnostic-warning, .cm-diagnostic-info': { borderLeft: '3px solid var(--color-waiting)' },
  '.cm-diagnosticAction': { backgroundColor: 'var(--color-accent)', color: 'var(--color-on-accent)' },
  '.cm-lintRange': { backgroundImage: 'none', textDecoration: 'underline wavy var(--color-waiting)' },
  '.cm-lintRange-error': { textDecoration: 'underline wavy var(--color-failed)' },
  // Changed lines have a sign beside the colour.
  '.cm-changeGutter': { width: '14px', paddingLeft: '0', textAlign: 'center' },
  '&.cm-merge-a .cm-changedLine, .cm-deletedChunk': { backgroundColor: 'var(--color-failed-soft)' },
  '&.cm-merge-b .cm-changedLine, .cm-inlineChangedLine': { backgroundColor: 'var(--color-good-soft)' },
  '&.cm-merge-a .cm-changedLineGutter, & .cm-deletedLineGutter': {
    background: 'var(--color-failed-soft)',
    color: 'var(--color-failed)',
    '&::after': { content: '"−"' },
  },
  '&.cm-merge-b .cm-changedLineGutter': {
    background: 'var(--color-good-soft)',
    color: 'var(--color-good)',
    '&::after': { content: '"+"' },
  },
  '&.cm-merge-a .cm-changedText, & .cm-deletedChunk .cm-deletedText': {
    background: 'var(--color-failed-mark)',
    borderRadius: '2px',
    textDecoration: 'none',
  },
  '&.cm-merge-b .cm-changedText': { background: 'var(--color-good-mark)', borderRadius: '2px' },
  '.cm-deletedChunk': { paddingLeft: '0' },
  '.cm-deletedChunk .cm-deletedLine': { padding: '0 12px 0 8px' },
  '.cm-insertedLine, .cm-deletedLine, .cm-deletedLine del': { textDecoration: 'none' },
  '.cm-collapsedLines': {
    background: 'var(--color-sunken)',
    color: 'var(--color-quiet)',
    fontFamily: 'var(--font-sans)',
    padding: '4px 12px',
    cursor: 'pointer',
    '&:hover': { color: 'var(--color-accent)' },
  },
});

export const look: Extension = [EditorView.cspNonce.of(nonce), sheet, syntaxHighlighting(colours)];

export function grammarOf(language: Language): Extension {
  return { yaml, json, python, text: () => [] }[language]();
}
