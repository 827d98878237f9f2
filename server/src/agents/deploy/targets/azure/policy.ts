// The least that the service needs in a resource group, from the list of its calls. A test compares the list with what is sent (docs/decisions/0191).
import type { TargetFile } from '../target.ts';
import { methods, type Method } from './methods.ts';
import { groupOf, type AzureSettings } from './settings.ts';

const sent_actions: readonly string[] = [
  ...new Set(Object.values<Method>(methods).flatMap(({ actions }) => actions)),
].toSorted();

const isOfLogs = (action: string) => action.startsWith('Microsoft.OperationalInsights/');
const isOfIdentity = (action: string) => action.startsWith('Microsoft.ManagedIdentity/');

/** Those that the service needs in the resource group. The others are for the workspace and for the identity that pulls images. */
export const group_actions: readonly string[] = sent_actions.filter((one) => !isOfLogs(one) && !isOfIdentity(one));

/** `member`: the service, by the id of its application. */
export function policyFiles(settings: AzureSettings, { member }: { member: string }): TargetFile[] {
  const { subscription, identity, workspace, registry } = settings;
  const group = groupOf(settings);
  const [registry_name = ''] = new URL(registry).host.split('.');
  const role = (name: string, actions: readonly string[]) => ({
    Name: name,
    IsCustom: true,
    Description: 'Gantry, for agents on Container Apps',
    Actions: actions,
    NotActions: [],
    AssignableScopes: [`/subscriptions/${subscription}`],
  });
  const of = {
    group: 'Gantry: container apps',
    logs: 'Gantry: logs of container apps',
    identity: 'Gantry: identity of container apps',
  };
  const assign = (role_name: string, scope: string) =>
    `az role assignment create --assignee '${member}' --role '${role_name}' --scope ${scope}`;
  const commands = [
    `az account set --subscription ${subscription}`,
    'for file in role-group.json role-logs.json role-identity.json; do az role definition create --role-definition @$file; done',
    assign(of.group, group),
    assign(of.identity, identity),
    assign(
      of.logs,
      `"$(az monitor log-analytics workspace list --query "[?customerId=='${workspace}'].id" --output tsv)"`,
    ),
    assign('AcrPush', `"$(az acr show --name ${registry_name} --query id --output tsv)"`),
    // The identity of replicas pulls their image, and does nothing else.
    `az role assignment create --assignee-object-id "$(az identity show --ids ${identity} --query principalId --output tsv)" --assignee-principal-type ServicePrincipal --role AcrPull --scope "$(az acr show --name ${registry_name} --query id --output tsv)"`,
  ];
  return [
    { file: 'role-group.json', content: json(role(of.group, group_actions)) },
    { file: 'role-logs.json', content: json(role(of.logs, sent_actions.filter(isOfLogs))) },
    { file: 'role-identity.json', content: json(role(of.identity, sent_actions.filter(isOfIdentity))) },
    { file: 'apply.sh', content: `set -eu\n${commands.join('\n')}\n` },
  ];
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
