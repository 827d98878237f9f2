// A service with our stand-in for Google, whose worker pools run on this machine's engine, an emulator of Secret Manager, a registry, and the door
// with TLS as those containers find it.
import { generateKeyPairSync } from 'node:crypto';
import { z } from 'zod';
import { connectEngine } from '../../assets/docker/client.ts';
import type { GoogleRequest } from '../../agents/deploy/targets/gcp/requests.ts';
import { sql } from '../../ground/database/sql.ts';
import { installationId } from '../../people/principals/find.ts';
import { testConfig } from '../config.ts';
import { startDrongo } from '../servers/drongo.ts';
import { startGoogleCloud, type GoogleCloud } from '../servers/google-cloud.ts';
import { startImageRegistry } from '../servers/image-registry.ts';
import { poolContainers, type PoolContainers } from '../servers/pool-containers.ts';
import { testApp, type TestApp } from '../test-app.ts';
import { bridgeAddress, openDoor } from './aws-stage.ts';
import { planning } from './gcp-revision.ts';

const { private_key, public_key } = (() => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), public_key: publicKey };
})();
export const client_email = 'gantry@my-project.iam.gserviceaccount.com';
/** As Google writes it. */
export const key_file = JSON.stringify({
  type: 'service_account',
  project_id: 'my-project',
  private_key_id: 'a1b2c3',
  private_key,
  client_email,
  client_id: '1',
  auth_uri: 'https://accounts.google.com/o/oauth2/auth',
  token_uri: 'https://oauth2.googleapis.com/token',
  universe_domain: 'googleapis.com',
});
export { public_key };

export interface GoogleStage {
  app: TestApp;
  /** Of the target. */
  config: Record<string, never>;
  installation_id: string;
  google: GoogleCloud;
  containers: PoolContainers;
  /** The ids of the secrets that are there. */
  secrets(): Promise<string[]>;
  /** By the service, as it sends them. */
  sent: GoogleRequest[];
  stop(): Promise<void>;
}

export async function openGoogleStage(): Promise<GoogleStage> {
  const { project } = planning.settings;
  const drongo = await startDrongo();
  const registry = await startImageRegistry();
  const own = testConfig();
  const engine = connectEngine({ docker_host: own.engine_host, installation_id: '' });
  const of = `${drongo.endpoint}/v1/projects/${project}/secrets`;
  const latest = z.object({ payload: z.object({ data: z.string() }) });
  let google: GoogleCloud | undefined;
  const containers = poolContainers({
    engine,
    readSecret: async (id) => {
      const answer: unknown = await (await fetch(`${of}/${id}/versions/latest:access`)).json();
      return Buffer.from(latest.parse(answer).payload.data, 'base64').toString();
    },
    onLine: (said) => google?.say(said),
  });
  google = await startGoogleCloud({ secrets: drongo.endpoint, project, public_key, containers });
  const { baseOf, addresses } = google;
  const sent: GoogleRequest[] = [];
  const gateway = await bridgeAddress(engine.docker);
  const app = await testApp({
    config: { sync_budget_seconds: 8, calm_seconds: 3600, outbound_private_hosts: ['127.0.0.1'] },
    door_addresses: [gateway],
    google_emulator: {
      baseOf,
      addresses,
      registry: `http://${registry.address}`,
      onRequest: (request) => void sent.push(request),
    },
  });
  await app.governed(sql`update org set agent_egress = 'open' returning id`);
  await app.admin.client.call('teams.create', { body: { name: 'ml' } });
  const door = await openDoor(gateway, own.door.port);
  const { service_account, registry: repository, region } = planning.settings;
  const config = {
    kind: 'gcp',
    address: `projects/${project}/locations/${region}`,
    service_account,
    registry: repository,
    service_url: door.url,
    service_ca: door.ca,
  };
  return {
    app,
    config: config as unknown as Record<string, never>, // any JSON, as from a client
    installation_id: await installationId(app.db),
    google,
    containers,
    secrets: async () => {
      const listed = z.object({ secrets: z.array(z.object({ name: z.string() })).default([]) });
      return listed.parse(await (await fetch(of)).json()).secrets.map(({ name }) => name.split('/').at(-1) ?? '');
    },
    sent,
    stop: async () => {
      await app.stop();
      await door.close();
      await google.stop();
      await registry.stop();
      await drongo.stop();
    },
  };
}
