import { Link, type LinkProps } from '@tanstack/react-router';
import { useEffect, useId, type ReactNode } from 'react';
import { Reason, type Allowed } from '../action/action.tsx';
import { useActiveTabInView } from './active-tab.ts';
import { Head, useCommand, type Command } from '../action/commands.ts';
import { lineOf, SvcLine } from '../copy.tsx';
import { showReceipt } from '../action/receipt.tsx';
import { Tip } from '../tip.tsx';

export interface Tab {
  label: string;
  link: LinkProps;
  /** Waits for the reader. */
  waiting?: number;
  /** What the reader may not see is grey, with its reason. */
  can?: Allowed | undefined;
}

interface PageProps {
  title: string;
  /** The pages above this one. */
  above?: readonly { label: string; link: LinkProps }[];
  state?: ReactNode;
  /** The one main action comes last. */
  actions?: ReactNode;
  /** A line below the title: an address, a sentence. */
  about?: ReactNode;
  /** The same in a terminal. */
  svc?: string;
  tabs?: readonly Tab[];
  /** The head stays while the rest scrolls: what is decided there is decided about what one reads. */
  stays?: boolean;
  /** Tables may fill the window; other content is at most 1200 px wide. */
  wide?: boolean;
  children: ReactNode;
}

export function Page({
  title,
  above = [],
  state,
  actions,
  about,
  svc,
  tabs,
  stays = false,
  wide = false,
  children,
}: PageProps) {
  useEffect(() => {
    document.title = [title, ...above.map(({ label }) => label).toReversed(), 'Gantry'].join(' · ');
  });
  useCommand(svc === undefined ? undefined : copies(svc));
  const line = svc !== undefined && <SvcLine line={svc} />;
  const isBeside = about === undefined && svc !== undefined;
  return (
    <main id="content" tabIndex={-1} className="min-w-0 flex-1 outline-none">
      <header
        className={`border-b border-line bg-raised px-6 pt-4 max-phone:px-4 ${stays ? 'sticky top-12 z-10 max-phone:static' : ''}`}
      >
        {above.length > 0 && (
          <nav aria-label="Above this page" className="mb-0.5 flex gap-1.5 text-meta text-quiet">
            {above.map(({ label, link }, index) => (
              <span key={label} className="flex gap-1.5">
                {index > 0 && <span aria-hidden>/</span>}
                <Link {...link} className="hover:text-accent">
                  {label}
                </Link>
              </span>
            ))}
          </nav>
        )}
        <div className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-2">
          <h1 className="min-w-0 truncate text-title leading-8">{title}</h1>
          {state}
          {isBeside && <div className="ml-auto max-phone:order-last max-phone:ml-0 max-phone:w-full">{line}</div>}
          <div className={`flex flex-wrap items-center gap-2 ${isBeside ? 'max-phone:ml-auto' : 'ml-auto'}`}>
            <Head value="shown">{actions}</Head>
          </div>
        </div>
        {about === undefined ? (
          <div className="h-4" />
        ) : (
          <div className="mt-1 mb-3 flex min-h-5 max-phone:mt-2 flex-wrap items-center justify-between gap-x-6 gap-y-1 text-quiet">
            <div className="min-w-0 wrap-anywhere">{about}</div>
            {line}
          </div>
        )}
        {tabs !== undefined && <Tabs tabs={tabs} />}
      </header>
      <div className={`px-6 py-5 max-phone:px-4 ${wide ? '' : 'max-w-[1248px]'}`}>{children}</div>
    </main>
  );
}

function copies(svc: string): Command {
  const line = lineOf(svc);
  const run = () =>
    void navigator.clipboard.writeText(line).then(() => showReceipt({ says: `${line} is copied`, entries: [] }));
  return { label: 'Copy the svc line', can: { allowed: true }, svc: line, run };
}

function Tabs({ tabs }: { tabs: readonly Tab[] }) {
  return (
    <nav ref={useActiveTabInView()} aria-label="Parts of this page" className="relative -mx-2 flex overflow-x-auto">
      {tabs.map(({ label, link, waiting = 0, can }) =>
        can?.allowed === false ? (
          <ClosedTab key={label} label={label} can={can} />
        ) : (
          <Link
            key={label}
            {...link}
            activeOptions={{ exact: true, includeSearch: false }}
            className="border-b-2 border-transparent px-2 pb-2 whitespace-nowrap text-quiet hover:text-text aria-[current=page]:border-accent aria-[current=page]:text-text"
          >
            {label}
            {waiting > 0 && <span className="ml-1.5 text-waiting">{waiting}</span>}
          </Link>
        ),
      )}
    </nav>
  );
}

function ClosedTab({ label, can }: { label: string; can: Allowed }) {
  return (
    <Tip text={<Reason can={can} />}>
      <button
        type="button"
        aria-disabled
        className="cursor-default border-b-2 border-transparent px-2 pb-2 whitespace-nowrap text-quiet opacity-60"
      >
        {label}
      </button>
    </Tip>
  );
}

/** In place of a part that the reader may not see: no question is sent, so no refusal is recorded. */
export function Closed({ can }: { can: Allowed | undefined }) {
  if (can === undefined) return <div className="skeleton h-40" />;
  return (
    <Empty>
      <Reason can={can} />
    </Empty>
  );
}

/** A titled part of a page. Never inside another one. */
export function Section({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <section className="mb-6" aria-labelledby={id}>
      <div className="mb-2 flex min-h-6 flex-wrap items-baseline gap-3">
        <h2 id={id} className="text-section">
          {title}
        </h2>
        <div className="ml-auto text-meta text-quiet phone:[&_:is(button,select)]:h-6">{aside}</div>
      </div>
      {children}
    </section>
  );
}

/** Facts as names and values. */
export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[minmax(100px,max-content)_1fr] gap-x-6 gap-y-1.5">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-quiet">{name}</dt>
          <dd className="min-w-0 wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Nothing is here yet: what would be here, and the way to the first one. */
export function Empty({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <div className="flex flex-col items-start gap-3 rounded border border-dashed border-line-strong px-5 py-6 text-quiet">
      <div className="max-w-prose">{children}</div>
      {action}
    </div>
  );
}
