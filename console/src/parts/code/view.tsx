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
}

export function View({ text, language, label }: ViewProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const view = new EditorView({
      doc: text,
      extensions: [
        look,
        lineNumbers(),
        grammarOf(language),
        search({ top: true }),
        keymap.of(searchKeymap),
        EditorState.readOnly.of(true),
        EditorView.contentAttributes.of({ 'aria-label': label }),
      ],
      ...(place.current !== null && { parent: place.current }),
    });
    return () => view.destroy();
  }, [text, language, label]);
  return <div ref={place} className="overflow-hidden rounded border border-line bg-raised" />;
}
