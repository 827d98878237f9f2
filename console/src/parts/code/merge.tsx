import { MergeView, unifiedMergeView } from '@codemirror/merge';
import { search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { useEffect, useRef, useState } from 'react';
import { besideLines, useSlots, type Beside, type Place } from './beside.tsx';
import { languageOf } from './language.ts';
import { grammarOf, look } from './look.ts';

interface MergeProps {
  before: string;
  after: string;
  path: string;
  /** Stands below its line, such as a comment. In one column, those of the text before stand below the same line of the text after. */
  beside?: readonly Beside[];
  /** A press on a line's number, or `c` on the line. */
  onLine?: (place: Place) => void;
}

const side_by_side_px = 860;
const none: readonly Beside[] = [];
// Its words are found in time, also in a long changed part.
const settings = {
  collapseUnchanged: { margin: 3, minSize: 6 },
  gutter: true,
  diffConfig: { scanLimit: 2000, timeout: 200 },
} as const;

export function Merge({ before, after, path, beside = none, onLine }: MergeProps) {
  const place = useRef<HTMLDivElement>(null);
  const isWide = useIsWide(place);
  const { slotOf, portals } = useSlots(beside);
  const press = useRef(onLine);
  useEffect(() => {
    press.current = onLine;
  });
  const takesPresses = onLine !== undefined;
  const slots = beside.map(({ key, side, line }) => `${side} ${line} ${key}`).join('\n');
  useEffect(() => {
    const parent = place.current;
    if (parent === null || isWide === undefined) return undefined;
    const onPress = takesPresses ? (at: Place) => press.current?.(at) : undefined;
    const extensions = (side: Place['side'], shown: readonly Beside[]): Extension[] => [
      look,
      grammarOf(languageOf(path)),
      EditorView.lineWrapping,
      besideLines({ beside: shown, side, slotOf, onLine: onPress }),
      search({ top: true }),
      keymap.of(searchKeymap),
      EditorState.readOnly.of(true),
      EditorView.contentAttributes.of({ 'aria-label': `${path} ${side}` }),
    ];
    const view = isWide
      ? new MergeView({
          a: { doc: before, extensions: extensions('before', beside) },
          b: { doc: after, extensions: extensions('after', beside) },
          parent,
          ...settings,
        })
      : new EditorView({
          doc: after,
          extensions: [
            extensions(
              'after',
              beside.map((each) => ({ ...each, side: 'after' as const })),
            ),
            unifiedMergeView({ original: before, mergeControls: false, ...settings }),
          ],
          parent,
        });
    return () => view.destroy();
    // The content of the slots is React's; only their places make new editors.
  }, [before, after, path, isWide, slots, takesPresses]);
  return (
    <div ref={place} className="overflow-hidden rounded border border-line bg-raised">
      {portals}
    </div>
  );
}

/** Undefined until the first measure. */
function useIsWide(place: React.RefObject<HTMLElement | null>): boolean | undefined {
  const [isWide, setWide] = useState<boolean>();
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWide((entry?.contentRect.width ?? 0) >= side_by_side_px));
    if (place.current !== null) observer.observe(place.current);
    return () => observer.disconnect();
  }, [place]);
  return isWide;
}
