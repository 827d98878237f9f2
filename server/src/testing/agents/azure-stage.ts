// A service with our stand-in for Azure, whose container apps run on this machine's engine, a registry with the login of Azure's, and the door with TLS
// as those containers find it.
import { connectEngine } from '../../assets/docker/client.ts';
import type { AzureRequest } from '../../agents/deploy/targets/azure/requests.ts';
import { environmentOf } from '../../agents/deploy/targets/azure/settings.ts';
import { sql } from '../../ground/database/sql.ts';
import { installationId } from '../../people/principals/find.ts';
import { testConfig } from '../config.ts';
import { startAzureCloud, type AzureCloud } from '../servers/azure-cloud.ts';
import { startImageRegistry } from '../servers/image-registry.ts';
import { poolContainers, type PoolContainers } from '../servers/pool-containers.ts';
import { testApp, type TestApp } from '../test-app.ts';
import { bridgeAddress, openDoor } from './aws-stage.ts';
import { credential, planning } from './azure-revision.ts';

export interface AzureStage {
  app: TestApp;
  /** Of the target. */
  config: Record<string, never>;
  installation_id: string;
  azure: AzureCloud;
  containers: PoolContainers;
  /** By the service, as it sends them. */
  sent: AzureRequest[];
  stop(): Promise<void>;
}

export async function openAzureStage(): Promise<AzureStage> {
  const { settings } = planning;
  const registry = await startImageRegistry();
  const own = testConfig();
  const engine = connectEngine({ docker_host: own.engine_host, installation_id: '' });
  let azure: AzureCloud | undefined;
  const containers = poolContainers({
    engine,
    readSecret: async (of) => {
      const [name = '', secret] = of.split('/');
      const secrets = azure?.apps.get(name)?.body.properties.configuration.secrets ?? [];
      return await Promise.resolve(secrets.find((one) => one.name === secret)?.value ?? '');
    },
    onLine: (said) => azure?.say(said),
    namesOf: (id) => [`CONTAINER_APP_NAME=${id}`, `CONTAINER_APP_REVISION=${id}--abc1234`],
    endOf: (exit_code) => `Container 'agent' was terminated with exit code '${exit_code}' and reason 'ProcessExited'`,
  });
  azure = await startAzureCloud({ settings, credential, containers });
  const { hosts, addresses } = azure;
  const sent: AzureRequest[] = [];
  const gateway = await bridgeAddress(engine.docker);
  const app = await testApp({
    config: { sync_budget_seconds: 8, calm_seconds: 3600, outbound_private_hosts: ['127.0.0.1'] },
    door_addresses: [gateway],
    azure_emulator: {
      hosts,
      addresses,
      registry: await azure.registryBefore(registry.address),
      onRequest: (request) => void sent.push(request),
    },
  });
  await app.governed(sql`update org set agent_egress = 'open' returning id`);
  await app.admin.client.call('teams.create', { body: { name: 'ml' } });
  const door = await openDoor(gateway, own.door.port);
  const { location, identity, workspace, registry: repository } = settings;
  const config = {
    kind: 'azure',
    address: environmentOf(settings),
    location,
    identity,
    workspace,
    registry: repository,
    service_url: door.url,
    service_ca: door.ca,
  };
  return {
    app,
    config: config as unknown as Record<string, never>, // any JSON, as from a client
    installation_id: await installationId(app.db),
    azure,
    containers,
    sent,
    stop: async () => {
      await app.stop();
      await door.close();
      await azure.stop();
      await registry.stop();
    },
  };
}
