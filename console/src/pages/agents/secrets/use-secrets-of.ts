// The secrets that an agent has, and those that its running and its newest version need. A secret of the agent comes before its team's.
import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import type { Secret } from '@gantry/contract/assets/secrets.ts';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../../server.ts';

export interface SecretRow {
  name: string;
  secret: Secret | undefined;
  /** `not_visible`: it can be a secret of a team whose secrets the reader does not see. */
  state: 'set' | 'missing' | 'not_visible';
  /** `1.0.0 running`, `1.1.0`. */
  needed_by: readonly string[];
  isNeededNow: boolean;
}

export function useSecretsOf(name: string): { rows: SecretRow[] | undefined; error: unknown } {
  const asset = useQuery(ask('registry.show', { params: { kind: 'agent', name } }));
  const team = asset.data?.team ?? '';
  const me = useQuery(ask('auth.me', {}));
  const own = useQuery(ask('secrets.list', { query: { agent: name, limit: 200 } }));
  const shared = useQuery({
    ...ask('secrets.list', { query: { team, limit: 200 } }),
    enabled: asset.data !== undefined,
  });
  const running = useNames(name, asset.data?.serving_version);
  const newest = useNames(name, asset.data?.latest_version);
  if (own.data === undefined || asset.data === undefined || running === undefined || newest === undefined)
    return { rows: undefined, error: own.error };

  const seesTeam = me.data?.role === 'admin' || me.data?.teams.some((each) => each.name === team) === true;
  const owned = own.data.items.filter(({ agent }) => agent === name);
  const needed = new Set([...running, ...newest]);
  const names = new Set([...needed, ...owned.map((secret) => secret.name)]);
  const { serving_version, latest_version } = asset.data;
  const rows = [...names].toSorted().map((each): SecretRow => {
    const ofTeam = shared.data?.items.find((secret) => secret.name === each && secret.team === team);
    const secret = owned.find((secret) => secret.name === each) ?? ofTeam;
    return {
      name: each,
      secret,
      state: secret !== undefined ? 'set' : seesTeam ? 'missing' : 'not_visible',
      needed_by: [
        ...(running.includes(each) ? [`${serving_version} running`] : []),
        ...(newest.includes(each) && latest_version !== serving_version ? [`${latest_version}`] : []),
      ],
      isNeededNow: running.includes(each),
    };
  });
  return { rows, error: null };
}

/** The names in `deploy.secrets` of a version; none without a version, undefined until they are known. */
function useNames(name: string, version: string | null | undefined): readonly string[] | undefined {
  const shown = useQuery({
    ...ask('registry.show_version', { params: { kind: 'agent', name, version: version ?? '' } }),
    enabled: typeof version === 'string',
  });
  if (version === null) return [];
  // The service checked the config when the version was pushed.
  return shown.data && ((shown.data.config as Partial<AgentConfig>).deploy?.secrets ?? []);
}
