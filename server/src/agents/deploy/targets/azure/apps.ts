import { app, appPage, tagOf, type App } from './app.ts';
import { unlessMissing } from './azure-client.ts';
import type { AzureRun } from './container-apps-platform.ts';
import { finished } from './operations.ts';
import { appName, numberOf, tag, type AzureRequest } from './requests.ts';
import { groupOf } from './settings.ts';

/** Undefined for a missing one. Throws for one of somebody else. */
export async function findApp(run: AzureRun, id: string, signal?: AbortSignal): Promise<App | undefined> {
  const request = { method: 'ContainerApps.get', name: appName(run.settings, id) } as const;
  const found = await unlessMissing(run.azure.call(request, app, signal));
  if (found !== undefined && !isOwn(run, found))
    throw new Error(`The container app ${id} does not belong to this installation`);
  return found;
}

const most_pages = 1000;

/** All of this installation in the resource group. */
export async function ownApps(run: AzureRun, signal?: AbortSignal): Promise<App[]> {
  const group = groupOf(run.settings);
  const found: App[] = [];
  let next: AzureRequest | undefined = { method: 'ContainerApps.listByResourceGroup', name: group };
  for (let pages = 0; next !== undefined; pages++) {
    if (pages === most_pages) throw new Error('The list of container apps does not end');
    const page: { value: App[]; nextLink?: string | null | undefined } = await run.azure.call(next, appPage, signal);
    found.push(...page.value);
    const link = page.nextLink ?? '';
    next = link === '' ? undefined : run.azure.named('ContainerApps.listByResourceGroup', link, group);
  }
  return found.filter((one) => isOwn(run, one));
}

const isOwn = ({ installation_id }: AzureRun, one: App) => tagOf(one, tag.installation) === installation_id;

/** The replicas of a description, the newest first. */
export function replicasOf(name: string, apps: readonly App[]): App[] {
  const number = (one: App) => numberOf(name, one.name) ?? 0;
  return apps
    .filter((one) => numberOf(name, one.name) !== undefined)
    .toSorted((one, other) => createdAt(other) - createdAt(one) || number(other) - number(one));
}

/** In milliseconds; 0 where it is not known. */
export const createdAt = ({ systemData }: App): number => Date.parse(systemData?.createdAt ?? '') || 0;

/** Ends with its end. A missing one is no error. */
export async function deleteApp(run: AzureRun, id: string, signal?: AbortSignal): Promise<void> {
  if ((await findApp(run, id, signal)) === undefined) return;
  const request = { method: 'ContainerApps.delete', name: appName(run.settings, id) } as const;
  await unlessMissing(finished(run.azure, request, run.settings, signal));
}
