import { Check, Copy as CopyIcon } from 'lucide-react';
import { useState, type ReactNode } from 'react';

/** What is shown, and a button that copies `text`. */
export function Copy({ text, label, children }: { text: string; label?: string; children?: ReactNode }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <button
      type="button"
      onClick={() => void copy()}
      className="group inline-flex max-w-full min-w-0 items-center gap-1.5 rounded-small text-left hover:text-accent"
    >
      <span className="min-w-0 truncate">
        <span className="sr-only">Copy {label} </span>
        {children ?? text}
      </span>
      {isCopied ? (
        <Check size={13} className="shrink-0 text-good" aria-hidden />
      ) : (
        <CopyIcon size={13} className="shrink-0 text-quiet group-hover:text-accent" aria-hidden />
      )}
      <span role="status" className="sr-only">
        {isCopied ? 'Copied' : ''}
      </span>
    </button>
  );
}

/** A line break would start what stands before it. */
export const lineOf = (text: string) => text.replaceAll(/\p{Cc}/gu, ' ');

/** The same in a terminal: quiet, copied by a click. */
export function SvcLine({ line }: { line: string }) {
  return (
    <span className="inline-flex min-w-0 font-mono text-meta text-quiet">
      <Copy text={lineOf(line)} />
    </span>
  );
}

/** Twelve characters of a digest; all of it is copied. */
export function Digest({ digest }: { digest: string }) {
  const hex = digest.replace(/^sha256:/, '');
  return (
    <span className="inline-flex font-mono text-meta">
      <Copy text={digest} label="the digest">
        {hex.slice(0, 12)}
      </Copy>
    </span>
  );
}
