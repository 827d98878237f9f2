// Where a program of others sends the browser, to ask whether it may act for the reader. The browser goes back only with their decision.
import { clientScopes, type ClientAsk, type ClientScope } from '@gantry/contract/people/clients.ts';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../parts/action/button.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { openedAddress } from '../../parts/browser/opened-address.ts';
import { Page } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';

export function AuthorizePage() {
  const ask = useSend('clients.ask');
  const { mutate } = ask;
  const isSent = useRef(false);
  useEffect(() => {
    if (isSent.current) return;
    isSent.current = true;
    mutate({ body: asked() });
  }, [mutate]);
  return (
    <Page title="A program wants to act for you">
      {ask.error !== null && <Refusal error={ask.error} />}
      {ask.data === undefined && ask.error === null && <div className="skeleton h-40" />}
      {ask.data !== undefined && <Asked ask={ask.data.answer} />}
    </Page>
  );
}

function Asked({ ask: { id, client_name, host, resource, redirect_uri, scopes } }: { ask: ClientAsk }) {
  const [chosen, setChosen] = useState<readonly ClientScope[]>(scopes);
  const decide = useSend('clients.decide');
  const [isGone, setGone] = useState(false);
  const send = (decision: 'allow' | 'refuse') =>
    decide.mutate(
      { params: { id }, body: { decision, ...(decision === 'allow' && { scopes: [...chosen] }) } },
      {
        onSuccess: ({ answer: { address } }) => {
          setGone(true);
          location.assign(address);
        },
      },
    );
  if (isGone) return <p role="status">You can return to {client_name}, and close this page.</p>;
  return (
    <section className="flex max-w-[640px] flex-col gap-3 rounded border border-line border-l-2 border-l-waiting bg-raised px-3 py-2.5">
      <h2 className="text-section">{host}</h2>
      <p>
        It calls itself “{client_name}”. This name is not verified. Allow it only if you have just begun to sign in
        there.
      </p>
      <p>
        At <span className="break-all">{resource}</span>, with your rights, it may:
      </p>
      <ul className="flex flex-col gap-1.5">
        {scopes.map((scope) => (
          <li key={scope}>
            <label className="flex items-baseline gap-2">
              <input
                type="checkbox"
                checked={chosen.includes(scope)}
                disabled={scopes.length === 1}
                onChange={({ target: { checked } }) =>
                  setChosen(scopes.filter((one) => (one === scope ? checked : chosen.includes(one))))
                }
              />
              {clientScopes[scope]}
            </label>
          </li>
        ))}
      </ul>
      <p className="text-meta text-quiet">
        The browser goes back to <span className="break-all">{redirect_uri}</span>. You end this at any time under “What
        may act in my name”.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button look="main" disabled={decide.isPending || chosen.length === 0} onClick={() => send('allow')}>
          Allow
        </Button>
        <Button disabled={decide.isPending} onClick={() => send('refuse')}>
          Refuse
        </Button>
      </div>
      {decide.error !== null && <Refusal error={decide.error} />}
    </section>
  );
}

/** Other parameters are ignored, as the standard says. */
function asked() {
  const { searchParams } = openedAddress();
  const of = (name: string) => {
    const value = searchParams.get(name);
    return value === null ? {} : { [name]: value };
  };
  return {
    response_type: searchParams.get('response_type') ?? '',
    client_id: searchParams.get('client_id') ?? '',
    redirect_uri: searchParams.get('redirect_uri') ?? '',
    ...of('code_challenge'),
    ...of('code_challenge_method'),
    ...of('resource'),
    ...of('scope'),
    ...of('state'),
  };
}
