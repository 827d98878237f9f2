// The programs of others that act for the reader.
import { clientScopes, type AllowedClient } from '@gantry/contract/people/clients.ts';
import { useQuery } from '@tanstack/react-query';
import { Button } from '../../parts/action/button.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { When } from '../../parts/figures/when.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { ask } from '../../server.ts';

export function AllowedClients() {
  const { data, error } = useQuery(ask('clients.list', {}));
  if (error !== null) return <Refusal error={error} />;
  if (data === undefined || data.length === 0) return null;
  return (
    <section className="mb-6 max-w-[800px]" aria-label="Programs that act for you">
      <h2 className="mb-2 text-section">Programs that act for you</h2>
      <ul className="flex flex-col gap-4">
        {data.map((client) => (
          <Allowed key={client.id} client={client} />
        ))}
      </ul>
    </section>
  );
}

function Allowed({ client }: { client: AllowedClient }) {
  const { id, client_name, host, resource, scopes, allowed_at, last_used_at } = client;
  const remove = useSend('clients.remove', { says: () => `${client_name} no longer acts for you` });
  return (
    <li className="flex flex-col gap-2 rounded border border-line bg-raised px-3 py-2.5" aria-label={client_name}>
      <div className="flex flex-wrap items-baseline gap-x-3">
        <h3>
          {client_name} ({host})
        </h3>
        <span className="text-meta text-quiet">
          {resource}, since <When at={allowed_at} />
          {last_used_at === null ? ', never used' : ', last used '}
          {last_used_at !== null && <When at={last_used_at} />}
        </span>
      </div>
      <p>It may {scopes.map((scope) => clientScopes[scope]).join('; ')}.</p>
      {remove.error !== null && <Refusal error={remove.error} />}
      <div>
        <Button disabled={remove.isPending} onClick={() => remove.mutate({ params: { id } })}>
          Revoke
        </Button>
      </div>
    </li>
  );
}
