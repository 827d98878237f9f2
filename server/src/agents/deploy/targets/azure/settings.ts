/** What an admin says about a place in Azure where agents run. */
export interface AzureSettings {
  subscription: string;
  /** The resource group of the environment. Replicas are made in it. */
  group: string;
  /** The environment of Container Apps, by its name. */
  environment: string;
  /** Of the environment, such as `westeurope`. */
  location: string;
  /** The id of the managed identity that pulls images. The code of agents does not get it. */
  identity: string;
  /** The id of the Log Analytics workspace that the environment writes to. */
  workspace: string;
  /** The repository in Azure Container Registry as an address: `https://<name>.azurecr.io/<repository>`. */
  registry: string;
  /** The door, as a replica finds it. */
  service_url: string;
}

export const groupOf = ({ subscription, group }: Pick<AzureSettings, 'subscription' | 'group'>): string =>
  `/subscriptions/${subscription}/resourceGroups/${group}`;

export const environmentOf = (settings: AzureSettings): string =>
  `${groupOf(settings)}/providers/Microsoft.App/managedEnvironments/${settings.environment}`;

/** The address of a target, whose config has checked its form. It is the id of the environment, as Azure writes it. */
export function settingsAt(
  address: string,
  others: Omit<AzureSettings, 'subscription' | 'group' | 'environment'>,
): AzureSettings {
  const [, , subscription = '', , group = '', , , , environment = ''] = address.split('/');
  return { subscription, group, environment, ...others };
}
