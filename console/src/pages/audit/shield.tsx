import type { AuditEntry } from '@gantry/contract/audit/audit.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ShieldAlert, ShieldCheck } from 'lucide-react';
import { useMe } from '../../me.ts';
import { When } from '../../parts/figures/when.tsx';
import { ask } from '../../server.ts';
import { actorOf } from '@gantry/contract/audit/audit-sentence.ts';

const verdicts: Record<string, string> = {
  true_as_anchored: 'true as anchored',
  unanchored: 'every hash and signature holds',
};

/** When the log was last verified, by whom and to which entry. */
export function Shield() {
  const last = useQuery(ask('audit.list', { query: { action: 'audit.verified', limit: 1 } }));
  const me = useMe();
  const [entry] = last.data?.items ?? [];
  if (last.data === undefined) return <span className="skeleton">Last verified some time ago by an auditor</span>;
  if (entry !== undefined) return <Verified entry={entry} />;
  // Others read only their own verifications.
  if (me?.can['audit.verify']?.allowed !== true) return <>The entries that you may read, newest first.</>;
  return (
    <span className="inline-flex items-center gap-1.5 text-waiting">
      <ShieldAlert size={15} aria-hidden /> Nobody has verified this log yet.
    </span>
  );
}

function Verified({ entry }: { entry: AuditEntry }) {
  const { chain, seq, occurred_at, detail } = entry;
  const { verdict, entries } = detail as { verdict?: unknown; entries?: Record<string, unknown> }; // of audit.verified
  return (
    <span className="inline-flex flex-wrap items-center gap-x-1.5">
      <ShieldCheck size={15} aria-hidden className="text-good" />
      <span className="text-good">{verdicts[String(verdict)] ?? String(verdict)}</span>
      <span>
        up to governance/{String(entries?.['governance'])} and signin/{String(entries?.['signin'])}, verified by{' '}
        {actorOf(entry)}{' '}
        <Link to="/audit/$chain/$seq" params={{ chain, seq: String(seq) }} className="text-accent underline">
          <When at={occurred_at} />
        </Link>
      </span>
    </span>
  );
}
