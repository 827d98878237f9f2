// An emulator of AWS whose tasks run on this machine's engine, one for Application Auto Scaling, a service, and the door with TLS as those tasks find
// it.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { openClients, stacksOf, type AwsClients } from '../../agents/deploy/targets/aws/clients.ts';
import { connectEngine, type Engine } from '../../assets/docker/client.ts';
import { sql } from '../../ground/database/sql.ts';
import { installationId } from '../../people/principals/find.ts';
import { testConfig } from '../config.ts';
import type { AwsRequest } from '../servers/aws-models.ts';
import { certificates } from '../servers/certificates.ts';
import { startMinistack } from '../servers/ministack.ts';
import { startMoto } from '../servers/moto.ts';
import { recordRequests, services } from '../servers/recorded-requests.ts';
import { testApp, type TestApp } from '../test-app.ts';
import { planning } from './aws-revision.ts';

export const access_key = { id: 'AKIA0000000000000000', secret: 'of the emulator' };

export interface AwsStage {
  app: TestApp;
  /** Of the target. */
  config: Record<string, never>;
  installation_id: string;
  endpoint: string;
  /** Where the emulator runs tasks. */
  engine: Engine;
  /** Of the test, which looks itself. */
  eyes: AwsClients;
  /** By the clients of the service. */
  sent: AwsRequest[];
  /** The last that the service has opened. */
  clients(): AwsClients;
  /** Operations that AWS refuses to the service, as IAM says it. */
  denied: Set<string>;
  stop(): Promise<void>;
}

export async function openAwsStage(): Promise<AwsStage> {
  const [aws, moto] = await Promise.all([startMinistack(), startMoto()]);
  const { endpoint } = aws;
  const config = testConfig();
  const { docker } = connectEngine({ docker_host: config.engine_host, installation_id: '' });
  // The emulator puts its tasks on the engine's own network.
  const gateway = await bridgeAddress(docker);
  const denied = new Set<string>();
  const sent: AwsRequest[] = [];
  const opened: AwsClients[] = [];
  const onOpen = (clients: AwsClients) => {
    opened.push(clients);
    recordRequests(clients, sent);
    denyIn(clients, denied);
  };
  const app = await testApp({
    config: { sync_budget_seconds: 8, calm_seconds: 3600, outbound_private_hosts: ['127.0.0.1'] },
    door_addresses: [gateway],
    aws_emulator: { endpoint, scaling_endpoint: moto.endpoint, onOpen },
  });
  await app.governed(sql`update org set agent_egress = 'open' returning id`);
  await app.admin.client.call('teams.create', { body: { name: 'ml' } });
  const installation_id = await installationId(app.db);
  const engine = connectEngine({ docker_host: config.engine_host, installation_id });
  const door = await openDoor(gateway, config.door.port);
  const { repository, service_url: _, ...settings } = planning.settings;
  const { region } = settings;
  const eyes = await openClients({ region, endpoint, credentials: { accessKeyId: 'eyes', secretAccessKey: 'eyes' } });
  await eyes.ecs.createCluster({ clusterName: settings.cluster });
  await createClusterIn(moto.endpoint, settings);
  const target = { kind: 'aws', runtime: 'ecs-fargate', ...settings, registry: repository };
  return {
    app,
    config: { ...target, service_url: door.url, service_ca: door.ca } as unknown as Record<string, never>, // any JSON, as from a client
    installation_id,
    endpoint,
    engine,
    eyes,
    sent,
    denied,
    clients: () => {
      const last = opened.at(-1);
      if (last === undefined) throw new Error('the service has no clients of AWS yet');
      return last;
    },
    stop: async () => {
      await app.stop();
      await door.close();
      // It removes its containers.
      await aws.stop();
      await moto.stop();
      await removePulled(engine, `${new URL(endpoint).host}${new URL(repository).pathname}`);
    },
  };
}

/** Of this machine, as containers on the engine's own network find it. The engine may name the range only, and takes its first address. */
export async function bridgeAddress(docker: Engine['docker']): Promise<string> {
  const { IPAM } = await docker.getNetwork('bridge').inspect();
  const [range] = IPAM?.Config ?? [];
  const address = range?.['Gateway'] ?? range?.['Subnet']?.replace(/\d+\/\d+$/, '1');
  if (address === undefined) throw new Error('the network of the engine has no range');
  return address;
}

/** Application Auto Scaling looks for the services of its own ECS. */
async function createClusterIn(
  endpoint: string,
  { region, cluster }: { region: string; cluster: string },
): Promise<void> {
  const { ecs } = await openClients({
    region,
    endpoint,
    credentials: { accessKeyId: 'eyes', secretAccessKey: 'eyes' },
  });
  await ecs.createCluster({ clusterName: cluster });
}

export async function openDoor(
  host: string,
  inner_port: number,
): Promise<{ url: string; ca: string; close: () => Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'gantry-aws-'));
  const { ca, serverAt } = await certificates(directory);
  const { certificate: cert, key } = await serverAt(host);
  const door = createServer({ cert, key }, (socket) => {
    const inside = connect({ host, port: inner_port });
    for (const [one, other] of [
      [socket, inside],
      [inside, socket],
    ] as const)
      one.on('error', () => other.destroy()).pipe(other);
  }).listen(0, host);
  await once(door, 'listening');
  const { port } = door.address() as AddressInfo; // it listens on TCP
  const close = async () => {
    door.close();
    await rm(directory, { recursive: true });
  };
  return { url: `https://${host}:${port}`, ca, close };
}

/** In the words of IAM. */
function denyIn(clients: AwsClients, denied: ReadonlySet<string>): void {
  for (const { middlewareStack } of stacksOf(clients))
    middlewareStack.add(
      (next, { commandName, clientName }) =>
        async (args) => {
          const operation = String(commandName).replace(/Command$/, '');
          if (!denied.has(operation)) return await next(args);
          const action = `${services[String(clientName).replace(/Client$/, '')]}:${operation}`;
          const message = `User: arn:aws:iam::123456789012:user/gantry is not authorized to perform: ${action} on resource: arn:aws:x because no identity-based policy allows the ${action} action`;
          throw Object.assign(new Error(message), { name: 'AccessDeniedException', $fault: 'client' });
        },
      { step: 'build', name: 'deny' },
    );
}

/** The images that the emulator has pulled from itself. */
async function removePulled({ docker }: Engine, reference: string): Promise<void> {
  for (const { Id } of await docker.listImages({ filters: { reference: [reference] } }))
    await docker.getImage(Id).remove({ force: true });
}
