import type { Answer } from '@gantry/contract/endpoint.ts';
import type { Endpoints } from '@gantry/contract/endpoints.ts';
import { Section } from '../../parts/page/page.tsx';

/** Its access-control entries. */
export function Readers({ asset: { permissions } }: { asset: Answer<Endpoints['registry.show']> }) {
  return (
    <Section title="Who may do what">
      {permissions.length === 0 && <p className="text-quiet">It has no entries, so only admins have access.</p>}
      {permissions.length > 0 && (
        <ul className="rounded border border-line bg-raised text-meta">
          {permissions.map(({ principal, actions }) => (
            <li key={principal} className="border-b border-line px-3 py-1.5 last:border-b-0">
              <span className="block truncate" title={principal}>
                {principal === 'org' ? 'the whole organisation' : principal}
              </span>
              <span className="text-quiet">{actions.join(', ')}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
