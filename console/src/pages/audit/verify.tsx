import { useQuery } from '@tanstack/react-query';
import { useMe } from '../../me.ts';
import { Action } from '../../parts/action/action.tsx';
import { Page, Section } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { ask } from '../../server.ts';
import { Shield } from './shield.tsx';
import { useVerification } from './use-verification.ts';
import { Verdict } from './verdict.tsx';
import { VerifyForm } from './verify-form.tsx';
import { VerifyProgress } from './verify-progress.tsx';

export function VerifyPage() {
  const can = useMe()?.can['audit.verify'];
  const key = useQuery({ ...ask('audit.key', {}), enabled: can?.allowed === true });
  const onService = useSend('audit.verify');
  const { progress, verify } = useVerification();
  const isBusy = progress?.kind === 'reading' || progress?.kind === 'checked';
  return (
    <Page
      title="Verify the log"
      above={[{ label: 'Audit', link: { to: '/audit' } }]}
      about={can?.allowed === true && <Shield />}
      svc="svc audit verify"
      actions={
        <Action
          can={can}
          svc="svc audit verify"
          isBusy={onService.isPending}
          onPress={() => onService.mutate({ query: {} })}
        >
          {onService.isPending ? 'The service verifies …' : 'Verify on the service'}
        </Action>
      }
    >
      {onService.error !== null && <Refusal error={onService.error} />}
      {onService.data !== undefined && (
        <Section title="On the service">
          <Verdict {...onService.data.answer} />
        </Section>
      )}
      <Section title="In this browser">
        <p className="mb-4 max-w-prose text-quiet">
          The verifier that outsiders run, verify.mjs, recomputes every hash here, and checks every checkpoint against
          the public key. It needs no trust in the service.
        </p>
        {key.error !== null && <Refusal error={key.error} />}
        {(can?.allowed === false || key.data !== undefined) && (
          <VerifyForm public_key={key.data?.public_key} isBusy={isBusy} onVerify={verify} />
        )}
      </Section>
      <div aria-live="polite">{progress !== undefined && <VerifyProgress progress={progress} />}</div>
    </Page>
  );
}
