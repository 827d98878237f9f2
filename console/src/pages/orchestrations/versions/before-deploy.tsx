// What a deploy of the newest version would refuse, with the command for each fault, and whether the reader may deploy it.
import { useQuery } from '@tanstack/react-query';
import { SvcLine } from '../../../parts/copy.tsx';
import { Section } from '../../../parts/page/page.tsx';
import { Reason } from '../../../parts/action/action.tsx';
import { Refusal } from '../../../parts/refusal.tsx';
import { State } from '../../../parts/figures/state.tsx';
import { ask } from '../../../server.ts';

/** Nothing while the newest version serves and every member can be called. */
export function BeforeDeploy({ name }: { name: string }) {
  const { data: asset } = useQuery(ask('registry.show', { params: { kind: 'orchestration', name } }));
  const { data: check, error } = useQuery(ask('orchestrations.check', { params: { name }, query: {} }));
  if (error !== null && check === undefined) return <Refusal error={error} />;
  if (asset === undefined || check === undefined) return null;
  const { faults, notices, can, ref } = check;
  const version = ref.split('@')[1] ?? '';
  const isServing = asset.serving_version === version;
  if (isServing && faults.length + notices.length === 0) return null;
  const deploy = can['orchestrations.deploy'];
  return (
    <Section title={isServing ? 'Members that cannot be called' : `Before a deploy of ${version}`}>
      <ul className="rounded border border-line bg-raised">
        {faults.map(({ member, message, command }) => (
          <Line key={member} meaning="failed" word={member}>
            <span className="block">{message}</span>
            {command !== null && <SvcLine line={command} />}
          </Line>
        ))}
        {faults.length === 0 && (
          <Line meaning="good" word="members">
            Every member can be called.
          </Line>
        )}
        {!isServing && faults.length === 0 && deploy !== undefined && (
          <Line meaning={deploy.allowed ? 'good' : 'waiting'} word="permission">
            {deploy.allowed ? 'You may deploy it.' : <Reason can={deploy} />}
          </Line>
        )}
        {notices.map((notice) => (
          <Line key={notice} meaning="waiting" word="notice">
            {notice}
          </Line>
        ))}
      </ul>
    </Section>
  );
}

interface LineProps {
  meaning: 'good' | 'failed' | 'waiting';
  word: string;
  children: React.ReactNode;
}

function Line({ meaning, word, children }: LineProps) {
  return (
    <li className="grid grid-cols-[140px_minmax(0,1fr)] items-baseline gap-3 border-b border-line px-3 py-2 last:border-b-0 max-phone:grid-cols-1 max-phone:gap-0.5">
      <State meaning={meaning}>{word}</State>
      <div className="min-w-0 break-words">{children}</div>
    </li>
  );
}
