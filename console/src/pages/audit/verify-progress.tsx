import { count } from '../../parts/figures/figures.ts';
import { Section } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import type { Progress } from './use-verification.ts';
import { Verdict } from './verdict.tsx';

export function VerifyProgress({ progress }: { progress: Progress }) {
  if (progress.kind === 'failed') return <Refusal error={progress.error} />;
  if (progress.kind === 'done')
    return (
      <Section title="Result" aside={`${count(progress.entries)} entries checked`}>
        <Verdict verdict={progress.verdict} chains={progress.chains} {...findingsOf(progress.chains)} />
      </Section>
    );
  return (
    <p className="text-section">
      {count(progress.entries)} entries {progress.kind === 'reading' ? 'read' : 'checked'} …
    </p>
  );
}

const findingsOf = (chains: Extract<Progress, { kind: 'done' }>['chains']) => ({
  damage: chains.flatMap(({ damage }) => damage),
  notices: chains.flatMap(({ notices }) => notices),
});
