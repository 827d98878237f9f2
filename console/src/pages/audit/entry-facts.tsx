import type { AuditEntry } from '@gantry/contract/audit/audit.ts';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Copy, Digest } from '../../parts/copy.tsx';
import { Facts, Section } from '../../parts/page/page.tsx';
import { When } from '../../parts/figures/when.tsx';
import { Changes, hasChanges } from './changes.tsx';
import { actorOf } from '@gantry/contract/audit/audit-sentence.ts';

export function EntryFacts({ entry }: { entry: AuditEntry }) {
  const { event, actor, asset, team, occurred_at, ip, request_id, hash, detail } = entry;
  const { before, after, ...others } = detail;
  const told = Object.entries(others).filter(([, value]) => value !== null && value !== '' && !isEmpty(value));
  return (
    <>
      <Section title="Entry">
        <Facts
          facts={[
            ['When', <When key="when" at={occurred_at} exact />],
            ['Who', <Filtered key="who" text={actorOf(entry)} search={{ user: actor.name }} />],
            ['Event', <Filtered key="event" text={event} search={{ action: event }} />],
            ['Asset', asset === null ? '–' : <Filtered key="asset" text={asset} search={{ asset }} />],
            ['Team', team ?? '–'],
            ['From', ip ?? '–'],
            ['Request', request_id === null ? '–' : <Mono key="request">{request_id}</Mono>],
            ['Hash', <Digest key="hash" digest={hash} />],
          ]}
        />
      </Section>
      {hasChanges(detail) && (
        <Section title="Before and after">
          <Changes before={before} after={after} />
        </Section>
      )}
      {told.length > 0 && (
        <Section title="Detail">
          <Facts
            facts={told.map(([name, value]) => [
              words[name] ?? sentenceCase(name.replaceAll('_', ' ')),
              <Value key={name} name={name} value={value} asset={asset} />,
            ])}
          />
        </Section>
      )}
      <details>
        <summary className="mb-2 text-section font-strong">As JSON</summary>
        <pre className="overflow-x-auto rounded border border-line bg-raised p-3 font-mono text-meta">
          {JSON.stringify(entry, null, 2)}
        </pre>
      </details>
    </>
  );
}

const words: Readonly<Record<string, string>> = {
  approval_id: 'Approval',
  run_id: 'Deployment',
  bypass: 'Without',
  replaced: 'Replaced the revision',
  rollback_to: 'Back to the revision',
  not_counted: 'Approvals that did not count',
  superseded: 'Requests that it replaced',
};

const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0;
const sentenceCase = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function Value({ name, value, asset }: { name: string; value: unknown; asset: string | null }) {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value !== 'string' && typeof value !== 'number')
    return <span className="whitespace-pre-wrap">{isWords(value) ? value.join(', ') : JSON.stringify(value)}</span>;
  const text = String(value);
  if (name === 'approval_id')
    return <LinkTo link={{ to: '/approvals/$id', params: { id: text } }}>{text.slice(0, 8)}</LinkTo>;
  if (name === 'run_id' && asset?.startsWith('agents/') === true)
    return <LinkTo link={{ to: '/deployments/$id', params: { id: text } }}>{text.slice(0, 8)}</LinkTo>;
  return <span className="whitespace-pre-wrap">{text}</span>;
}

const isWords = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

function LinkTo({ link, children }: { link: LinkProps; children: string }) {
  return (
    <Link {...link} className="font-mono text-meta text-accent">
      {children}
    </Link>
  );
}

/** All entries of the same kind. */
function Filtered({ text, search }: { text: string; search: LinkProps['search'] }) {
  return (
    <Link to="/audit" search={search as never} className="text-accent">
      {text}
    </Link>
  );
}

function Mono({ children }: { children: string }): ReactNode {
  return (
    <span className="font-mono text-meta">
      <Copy text={children} />
    </span>
  );
}
