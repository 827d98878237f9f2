const meanings = {
  good: { shape: '●', look: 'text-good' },
  waiting: { shape: '◐', look: 'text-waiting' },
  failed: { shape: '✕', look: 'text-failed' },
  stopped: { shape: '■', look: 'text-stopped' },
  none: { shape: '○', look: 'text-quiet' },
} as const;

export type Meaning = keyof typeof meanings;

/** A state is a word and a shape; the colour repeats them. */
export function State({ meaning, children }: { meaning: Meaning; children: string }) {
  const { shape, look } = meanings[meaning];
  return (
    <span className={`inline-flex items-baseline gap-1.5 whitespace-nowrap ${look}`}>
      <span aria-hidden className="w-3 text-center text-meta leading-none">
        {shape}
      </span>
      {children.replaceAll('_', ' ')}
    </span>
  );
}
