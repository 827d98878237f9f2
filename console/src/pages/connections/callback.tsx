// Where an authorization server sends the browser back. The answer counts only in the session that has begun the sign-in.
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useSend } from '../../parts/action/use-send.ts';
import { openedAddress } from '../../parts/browser/opened-address.ts';
import { Page } from '../../parts/page/page.tsx';
import { Refusal } from '../../parts/refusal.tsx';

const route = getRouteApi('/connections/callback/$server');

export function CallbackPage() {
  const { server } = route.useParams();
  const navigate = route.useNavigate();
  const finish = useSend('connections.finish', { says: () => `You are connected to ${server}` });
  const { mutate } = finish;
  const isSent = useRef(false);
  useEffect(() => {
    if (isSent.current) return;
    isSent.current = true;
    mutate(
      { body: { server, ...given() } },
      { onSuccess: ({ answer: { id } }) => void navigate({ to: '/connections', search: { ask: id }, replace: true }) },
    );
  }, [mutate, navigate, server]);
  return (
    <Page title={`Connecting to ${server}`}>
      {finish.error === null ? <div className="skeleton h-40" /> : <Refusal error={finish.error} />}
    </Page>
  );
}

function given() {
  const { searchParams } = openedAddress();
  const of = (name: string) => {
    const value = searchParams.get(name);
    return value === null ? {} : { [name]: value };
  };
  return { state: searchParams.get('state') ?? '', ...of('code'), ...of('iss'), ...of('error') };
}
