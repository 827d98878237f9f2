import { useQuery } from '@tanstack/react-query';
import { useMe } from '../../me.ts';
import { Button } from '../../parts/action/button.tsx';
import { SvcLine } from '../../parts/copy.tsx';
import { Closed, Page, Section } from '../../parts/page/page.tsx';
import { commandsIn, Refusal } from '../../parts/refusal.tsx';
import { State, type Meaning } from '../../parts/figures/state.tsx';
import { ask } from '../../server.ts';
import { useOrganisationTabs } from './tabs.ts';

interface Line {
  name: string;
  meaning: Meaning;
  verdict: string;
  detail: string;
  fix: string | null;
}

const verdicts = { ok: 'good', warning: 'waiting', problem: 'failed' } as const;
const checks = { met: 'good', not_met: 'failed', unknown: 'waiting' } as const;

export function DoctorPage() {
  const can = useMe()?.can;
  const mayAsk = can?.['service.doctor'];
  const doctor = useQuery({ ...ask('service.doctor', {}), enabled: mayAsk?.allowed === true });
  const checklist = useQuery({ ...ask('org.check', {}), enabled: can?.['org.check']?.allowed === true });
  const again = () => void Promise.all([doctor.refetch(), checklist.refetch()]);
  const isAsking = doctor.isFetching || checklist.isFetching;
  return (
    <Page
      title="Health"
      about="The service examines its own machine; each fault has its fix."
      svc="svc doctor"
      tabs={useOrganisationTabs()}
      actions={
        <Button onClick={again} disabled={isAsking || mayAsk?.allowed !== true} focusableWhenDisabled>
          Check again
        </Button>
      }
    >
      {mayAsk?.allowed !== true ? (
        <Closed can={mayAsk} />
      ) : (
        <div className="max-w-[880px]">
          <Section title="Doctor">
            <Lines
              error={doctor.error}
              lines={doctor.data?.map(({ part, verdict, detail, fix }) => ({
                name: part,
                meaning: verdicts[verdict],
                verdict,
                detail,
                fix,
              }))}
            />
          </Section>
          <Section title="Checklist of a self-hosted installation" aside={<SvcLine line="svc org check" />}>
            <Lines
              error={checklist.error}
              lines={checklist.data?.lines.map(({ name, verdict, detail, hint }) => ({
                name,
                meaning: checks[verdict],
                verdict,
                detail,
                fix: hint,
              }))}
            />
          </Section>
        </div>
      )}
    </Page>
  );
}

function Lines({ lines, error }: { lines: readonly Line[] | undefined; error: unknown }) {
  if (error !== null) return <Refusal error={error} />;
  if (lines === undefined) return <div className="skeleton h-64" />;
  return (
    <ul className="rounded border border-line bg-raised">
      {lines.map(({ name, meaning, verdict, detail, fix }) => (
        <li
          key={name}
          className="grid grid-cols-[96px_200px_minmax(0,1fr)] items-baseline gap-x-4 gap-y-0.5 border-b border-line px-4 py-2 last:border-b-0 max-phone:grid-cols-[96px_minmax(0,1fr)]"
        >
          <State meaning={meaning}>{verdict}</State>
          <span className="font-strong">{name}</span>
          <div className="min-w-0 break-words max-phone:col-span-2">
            <p>{commandsIn(detail)}</p>
            {fix !== null && <p className="text-quiet">{commandsIn(fix)}</p>}
          </div>
        </li>
      ))}
    </ul>
  );
}
