// Keyboard shortcuts: one key, or two in a row such as `g a`. They rest while somebody types into a field.
import { useEffect, useRef } from 'react';

const pair_ms = 1000;

/** One that returns false leaves the key to the others, and to the browser. */
export type Shortcuts = Readonly<Record<string, () => void | false>>;

/** `alsoFrom`: the arrow down works in these fields too. */
export function useShortcuts(shortcuts: Shortcuts, { alsoFrom }: { alsoFrom?: string } = {}): void {
  const current = useRef(shortcuts);
  useEffect(() => {
    current.current = shortcuts;
  });
  useEffect(() => {
    let before = '';
    let at = 0;
    const press = (event: KeyboardEvent) => {
      const isCommand = event.metaKey || event.ctrlKey;
      const isFree = alsoFrom !== undefined && event.key === 'ArrowDown' && isIn(event.target, alsoFrom);
      if (event.altKey || event.defaultPrevented || (isTyping(event.target) && !isCommand && !isFree)) return;
      const key = isCommand ? `mod+${event.key.toLowerCase()}` : event.key;
      const pair = event.timeStamp - at < pair_ms ? `${before} ${key}` : key;
      before = key;
      at = event.timeStamp;
      const act = current.current[pair] ?? current.current[key];
      if (act === undefined || act() === false) return;
      event.preventDefault();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [alsoFrom]);
}

const isIn = (target: EventTarget | null, fields: string) => target instanceof HTMLElement && target.matches(fields);

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
