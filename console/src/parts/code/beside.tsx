// Parts of the page beside the lines of a text, such as comments: each stands below its line, in the text.
import { StateField, type Extension, type Text } from '@codemirror/state';
import { Decoration, EditorView, keymap, lineNumbers, WidgetType, type DecorationSet } from '@codemirror/view';
import { useState, type ReactNode } from 'react';
import { createPortal } from 'react-dom';

/** A line of one of two texts; lines count from 1. */
export interface Place {
  side: 'before' | 'after';
  line: number;
}

export interface Beside extends Place {
  key: string;
  content: ReactNode;
}

/** An element for each key, into which React writes. It outlives the editors that show it. */
export function useSlots(beside: readonly Beside[]) {
  const [elements] = useState(() => new Map<string, HTMLElement>());
  const slotOf = (key: string): HTMLElement => {
    const known = elements.get(key);
    if (known !== undefined) return known;
    const made = document.createElement('div');
    made.className = 'border-y border-line bg-ground px-3 py-2 font-sans text-body whitespace-normal';
    elements.set(key, made);
    return made;
  };
  return { slotOf, portals: beside.map(({ key, content }) => createPortal(content, slotOf(key), key)) };
}

interface BesideLines {
  beside: readonly Beside[];
  side: Place['side'];
  slotOf: (key: string) => HTMLElement;
  /** A press on a line's number, or `c` on the line. */
  onLine: ((place: Place) => void) | undefined;
}

export function besideLines({ beside, side, slotOf, onLine }: BesideLines): Extension {
  const own = beside.filter((each) => each.side === side).toSorted((a, b) => a.line - b.line);
  const slots = (doc: Text): DecorationSet =>
    Decoration.set(
      own
        .filter(({ line }) => line >= 1 && line <= doc.lines)
        .map(({ key, line }) =>
          Decoration.widget({ widget: new Slot(key, slotOf(key)), block: true, side: 1 }).range(doc.line(line).to),
        ),
    );
  const press = (view: EditorView, at: number) => {
    onLine?.({ side, line: view.state.doc.lineAt(at).number });
    return onLine !== undefined;
  };
  return [
    StateField.define<DecorationSet>({
      create: ({ doc }) => slots(doc),
      update: (value) => value,
      provide: (field) => EditorView.decorations.from(field),
    }),
    lineNumbers({ domEventHandlers: { mousedown: (view, { from }) => press(view, from) } }),
    keymap.of([{ key: 'c', run: (view) => press(view, view.state.selection.main.head) }]),
    onLine === undefined ? [] : EditorView.editorAttributes.of({ class: 'takes-comments' }),
  ];
}

class Slot extends WidgetType {
  readonly #key: string;
  readonly #element: HTMLElement;
  #resized: ResizeObserver | undefined;

  constructor(key: string, element: HTMLElement) {
    super();
    this.#key = key;
    this.#element = element;
  }
  override eq(other: Slot): boolean {
    return other.#key === this.#key;
  }
  // The editor keeps the heights of lines, and cannot see what React writes.
  override toDOM(view: EditorView): HTMLElement {
    this.#resized = new ResizeObserver(() => view.requestMeasure());
    this.#resized.observe(this.#element);
    return this.#element;
  }
  override destroy(): void {
    this.#resized?.disconnect();
  }
  override ignoreEvent(): boolean {
    return true;
  }
}
