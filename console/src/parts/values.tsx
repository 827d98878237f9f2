// Any value that an agent gives or gets.
import { Markdown } from './markdown.tsx';

interface ValuesProps {
  value: unknown;
  /** Texts character by character, each with its name: for a person who decides on them. */
  isExact?: boolean;
}

/** A text is markdown, an object its members, and anything else JSON. */
export function Values({ value, isExact = false }: ValuesProps) {
  if (typeof value === 'string') return isExact ? <Exact text={value} /> : <Markdown text={value} />;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return <Json value={value} />;
  const members = Object.entries(value);
  const [only] = members;
  if (members.length === 1 && typeof only?.[1] === 'string' && !isExact) return <Markdown text={only[1]} />;
  if (members.length === 0) return <p className="text-quiet">Nothing.</p>;
  return (
    <dl className="grid grid-cols-[minmax(72px,max-content)_1fr] gap-x-4 gap-y-1.5">
      {members.map(([name, member]) => (
        <div key={name} className="contents">
          <dt className="text-quiet">{name}</dt>
          <dd className="min-w-0 wrap-anywhere">
            {typeof member === 'string' ? (
              <Values value={member} isExact={isExact} />
            ) : typeof member === 'object' && member !== null ? (
              <Json value={member} />
            ) : (
              String(member)
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Exact({ text }: { text: string }) {
  return <p className="max-h-96 overflow-auto break-words whitespace-pre-wrap">{text}</p>;
}

function Json({ value }: { value: unknown }) {
  return (
    <pre className="max-h-96 overflow-auto rounded-small bg-sunken px-2.5 py-2 font-mono text-meta break-words whitespace-pre-wrap">
      {typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
    </pre>
  );
}
