import { search, searchKeymap } from '@codemirror/search';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import type { Language } from './language.ts';
import { grammarOf, look } from './look.ts';

interface ViewProps {
  text: string;
  language: Language;
  /** Read aloud. */
  label: string;
  /** Long lines break at the edge; else they scroll. */
  wraps?: boolean;
}

export function View({ text, language, label, wraps = false }: ViewProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const view = new EditorView({
      doc: text,
      extensions: [
        look,
        wraps ? EditorView.lineWrapping : lineNumbers(),
        grammarOf(language),
        search({ top: true }),
        keymap.of(searchKeymap),
        EditorState.readOnly.of(true),
        EditorView.contentAttributes.of({ 'aria-label': label }),
      ],
      ...(place.current !== null && { parent: place.current }),
    });
    // A long line scrolls, also by keys.
    view.scrollDOM.tabIndex = 0;
    return () => view.destroy();
  }, [text, language, label, wraps]);
  return <div ref={place} className="overflow-hidden rounded border border-line bg-raised" />;
}
