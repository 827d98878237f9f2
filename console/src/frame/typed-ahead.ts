// What is typed after ⌘K and before the palette is drawn: it belongs to the palette, not to the field below.
let typed = '';

export function catchTyping(): void {
  typed = '';
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  window.addEventListener('keydown', collect, { capture: true });
}

/** Once, by the palette. */
export function takeTyped(): string {
  window.removeEventListener('keydown', collect, { capture: true });
  const taken = typed;
  typed = '';
  return taken;
}

function collect(event: KeyboardEvent): void {
  if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  event.stopPropagation();
  typed += event.key;
}
