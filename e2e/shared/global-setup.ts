import type { TestProject } from 'vitest/node';
import { modelUpstream } from '../../server/src/testing/models/model-upstream.ts';
import { freePort } from '../../server/src/testing/servers/free-port.ts';
import { install, type Opened, type OwnInstallation } from '../installation.ts';
import { offerStage } from '../offered-stage.ts';
import { start_deadline_seconds, sync_budget_seconds } from './limits.ts';
import { teams } from './teams.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Answers when the installation is open, or could not be opened. */
    shared_url: string;
  }
}

/** What the files of this folder share. */
export interface Shared {
  opened: Opened;
  /** Where the stand-in for model vendors answers, in OpenAI's format. */
  model_url: string;
  /** Where a test may start an MCP server. The service may connect to it. */
  mcp_port: number;
  /** The same, for a second one. */
  second_mcp_port: number;
  /** Of the certificate of the door, where it has one. */
  authority?: string;
}

/** One installation, because a separate one for each file makes the same dependency images again. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const offer = await offerStage(openShared(), ({ opened, model_url, mcp_port, second_mcp_port }) => ({
    opened,
    model_url,
    mcp_port,
    second_mcp_port,
  }));
  project.provide('shared_url', offer.url);
  return async () => await offer.close();
}

/** `private_hosts`: further ones to which the service may connect. Other values are its settings. */
export async function openShared({ private_hosts = '', ...settings }: Record<string, string> = {}): Promise<
  Shared & Pick<OwnInstallation, 'must' | 'stop'>
> {
  const upstream = await modelUpstream(undefined, { latency: 50 });
  const [mcp_port, second_mcp_port] = [await freePort(), await freePort()];
  const gantry = await install({
    OUTBOUND_PRIVATE_HOSTS: [upstream.host, `127.0.0.1:${mcp_port}`, `127.0.0.1:${second_mcp_port}`, private_hosts]
      .filter((host) => host !== '')
      .join(),
    ...settings,
    SYNC_BUDGET_SECONDS: String(sync_budget_seconds),
    START_DEADLINE_SECONDS: String(start_deadline_seconds),
  }).catch(async (error: unknown) => {
    await upstream.stop();
    throw error;
  });
  for (const team of Object.values(teams)) await gantry.must(`svc team create ${team}`);
  return {
    opened: gantry.opened,
    must: async (line, typing) => await gantry.must(line, typing),
    model_url: upstream.base_url,
    mcp_port,
    second_mcp_port,
    stop: async () => {
      await gantry.stop();
      await upstream.stop();
    },
  };
}
