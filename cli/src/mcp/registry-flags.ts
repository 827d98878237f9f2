import { text } from '../command.ts';

/** Where other registries are read. */
export const registryFlags = {
  from: text('The address of the registry; without it the setting mcp_registry', 'address'),
  registrySecret: text('The secret of the team with a token for the registry', 'name'),
};

interface RegistryFlags {
  from: string | undefined;
  registrySecret: string | undefined;
}

export function registryOf({ from, registrySecret }: RegistryFlags) {
  return {
    ...(from !== undefined && { from }),
    ...(registrySecret !== undefined && { secret: registrySecret }),
  };
}
