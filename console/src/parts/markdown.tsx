// Markdown of agents, which is text of strangers: nothing of it is loaded, no HTML of it is made, and a link opens only an address that one can see.
import { memo, type ComponentProps, type ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { Copy } from './copy.tsx';

const plugins = [remarkGfm];

/** Drawn again only for another text: a long conversation has many, and one of them grows. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  return (
    <div className="flex min-w-0 flex-col gap-2.5 break-words">
      <ReactMarkdown remarkPlugins={plugins} components={components} urlTransform={openable}>
        {text}
      </ReactMarkdown>
    </div>
  );
});

/** Empty for what is no address outside: a link of a stranger is no command to the console. */
function openable(url: string): string {
  return /^(https?:\/\/|mailto:)/i.test(url) ? url : '';
}

type Of<Tag extends keyof React.JSX.IntrinsicElements> = ComponentProps<Tag> & { node?: unknown };

function ToAddress({ href = '', children }: { href?: string | undefined; children: ReactNode }) {
  if (href === '') return <span>{children}</span>;
  return (
    <a
      href={href}
      title={href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className="text-accent underline underline-offset-2"
    >
      {children}
    </a>
  );
}

/** A heading of an answer is below those of the page. */
const heading = ({ children }: Of<'h3'>) => <h3 className="mt-1 text-section">{children}</h3>;
const smaller = ({ children }: Of<'h4'>) => <h4 className="mt-1 font-strong">{children}</h4>;

const components: Components = {
  h1: heading,
  h2: heading,
  h3: smaller,
  h4: smaller,
  h5: smaller,
  h6: smaller,
  a: ({ href, children }: Of<'a'>) => <ToAddress href={href}>{children}</ToAddress>,
  // A picture would be loaded from its address, and tell it who reads.
  img: ({ src, alt = '' }: Of<'img'>) => (
    <ToAddress href={typeof src === 'string' ? src : ''}>{alt === '' ? 'picture' : `picture: ${alt}`}</ToAddress>
  ),
  ul: ({ children }: Of<'ul'>) => <ul className="flex list-disc flex-col gap-1 pl-5">{children}</ul>,
  ol: ({ children, start }: Of<'ol'>) => (
    <ol start={start} className="flex list-decimal flex-col gap-1 pl-6">
      {children}
    </ol>
  ),
  blockquote: ({ children }: Of<'blockquote'>) => (
    <blockquote className="flex flex-col gap-2 border-l-2 border-line-strong pl-3 text-quiet">{children}</blockquote>
  ),
  hr: () => <hr className="border-line" />,
  pre: ({ children }: Of<'pre'>) => <>{children}</>,
  code: ({ className, children }: Of<'code'>) => <CodeOf language={className}>{children}</CodeOf>,
  table: ({ children }: Of<'table'>) => (
    <div className="overflow-x-auto" role="region" aria-label="Table">
      <table className="border-collapse text-meta">{children}</table>
    </div>
  ),
  th: ({ children }: Of<'th'>) => (
    <th className="border border-line bg-sunken px-2 py-1 text-left align-top">{children}</th>
  ),
  td: ({ children }: Of<'td'>) => <td className="border border-line px-2 py-1 align-top">{children}</td>,
};

/** A block ends with a line break; code in a line has none. */
function CodeOf({ language, children }: { language: string | undefined; children: ReactNode }) {
  const text = typeof children === 'string' ? children : '';
  if (language === undefined && !text.includes('\n'))
    return <code className="rounded-small bg-sunken px-1 font-mono text-meta">{children}</code>;
  return (
    <div className="overflow-hidden rounded border border-line">
      <div className="flex h-7 items-center justify-between gap-2 border-b border-line bg-sunken px-2.5 text-meta text-quiet">
        <span>{language?.replace('language-', '') ?? 'text'}</span>
        <Copy text={text} label="the code">
          Copy
        </Copy>
      </div>
      <pre className="overflow-x-auto px-2.5 py-2 font-mono text-meta">
        <code>{children}</code>
      </pre>
    </div>
  );
}
