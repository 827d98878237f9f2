// Servers of models on this machine, which need no account: they list their models at the ports of their presets.
import { modelProviders } from '@gantry/project/model-providers.ts';

export interface LocalModel {
  provider: string;
  model: string;
  base_url: string;
}

export interface LocalServer {
  provider: string;
  base_url: string;
}

const answer_ms = 1000;
const max_list_characters = 1_000_000;

export const localServers: readonly LocalServer[] = Object.entries(modelProviders).flatMap(
  ([provider, { base_url, is_local }]) => (is_local === true && base_url !== undefined ? [{ provider, base_url }] : []),
);

export async function findLocalModels(servers: readonly LocalServer[] = localServers): Promise<LocalModel[]> {
  const found = await Promise.all(
    servers.map(async ({ provider, base_url }) =>
      (await modelsAt(base_url)).map((model): LocalModel => ({ provider, model, base_url })),
    ),
  );
  return found.flat();
}

/** None where no such server answers. */
async function modelsAt(base_url: string): Promise<string[]> {
  try {
    const response = await fetch(`${base_url}/models`, { redirect: 'error', signal: AbortSignal.timeout(answer_ms) });
    const text = await response.text();
    if (!response.ok || text.length > max_list_characters) return [];
    const { data } = JSON.parse(text) as { data?: unknown };
    const listed: unknown[] = Array.isArray(data) ? data : [];
    return listed.flatMap((one) =>
      typeof one === 'object' && one !== null && 'id' in one && typeof one.id === 'string' ? [one.id] : [],
    );
  } catch {
    return []; // nothing listens there, or another program
  }
}
