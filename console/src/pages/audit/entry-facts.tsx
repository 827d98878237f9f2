import type { AuditEntry } from '@gantry/contract/audit.ts';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Copy, Digest } from '../../parts/copy.tsx';
import { Facts, Section } from '../../parts/page.tsx';
import { When } from '../../parts/when.tsx';
import { Changes, hasChanges } from './changes.tsx';
import { actorOf } from './sentence.ts';

export function EntryFacts({ entry }: { entry: AuditEntry }) {
  const { event, actor, asset, team, occurred_at, ip, request_id, hash, detail } = entry;
  const { before, after, ...others } = detail;
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
      {Object.keys(others).length > 0 && (
        <Section title="Detail">
          <Facts
            facts={Object.entries(others).map(([name, value]) => [
              name.replaceAll('_', ' '),
              <span key={name} className="break-all whitespace-pre-wrap">
                {typeof value === 'string' ? value : JSON.stringify(value)}
              </span>,
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
