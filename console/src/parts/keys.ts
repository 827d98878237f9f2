// Keyboard shortcuts: one key, or two in a row such as `g a`. They rest while somebody types into a field.
import { useEffect, useRef } from 'react';

const pair_ms = 1000;

export type Shortcuts = Readonly<Record<string, () => void>>;

export function useShortcuts(shortcuts: Shortcuts): void {
  const current = useRef(shortcuts);
  useEffect(() => {
    current.current = shortcuts;
  });
  useEffect(() => {
    let before = '';
    let at = 0;
    const press = (event: KeyboardEvent) => {
      const isCommand = event.metaKey || event.ctrlKey;
      if (event.altKey || event.defaultPrevented || (isTyping(event.target) && !isCommand)) return;
      const key = isCommand ? `mod+${event.key.toLowerCase()}` : event.key;
      const pair = event.timeStamp - at < pair_ms ? `${before} ${key}` : key;
      before = key;
      at = event.timeStamp;
      const act = current.current[pair] ?? current.current[key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
