// Background work: runs, the keeper of containers, mail, webhooks, copies of the audit log, expiry, refreshes that are due, alerts about budgets, and notices of runs that
// wait for a person. A stopping process returns its runs, and another process continues them.
import { startExpiry } from '../agents/approvals/expire.ts';
import { deployKind } from '../agents/deploy/deploy-kind.ts';
import { recordDeploy } from '../agents/deploy/deployments/record-deploy.ts';
import { operationKinds } from '../agents/deploy/operate/kinds.ts';
import { startTokenProxy } from '../agents/deploy/limited/token-proxy.ts';
import { egressOfAgents } from '../containers.ts';
import { startKeeper } from '../agents/deploy/keep/keeper.ts';
import { requireOneFormat } from '../models/gateway/catalogue/agent-models.ts';
import { refusedBefore } from '../agents/deploy/deployments/refused-before.ts';
import { startSandboxSweep } from '../assets/workshop/sweep.ts';
import { engineResolver } from '../assets/registry/dependencies/engine-resolver.ts';
import { pushRun } from '../assets/registry/push/push-run.ts';
import { startSchedule } from '../agents/knowledge/refresh/start-due.ts';
import { refreshKind } from '../agents/knowledge/refresh/refresh-run.ts';
import { fileReader } from '../agents/knowledge/reading/read-files.ts';
import { startWorker } from '../ground/runs/worker.ts';
import { startAnnouncing } from '../agents/memory/inbox/announce.ts';
import { startSideSweep } from '../agents/tools/hosted/sweep.ts';
import { startBudgetAlerts } from '../telling/notifications/alert-budgets.ts';
import type { Role, RoleParts } from './role.ts';

export async function openWorker(parts: RoleParts): Promise<Role> {
  const { config, db, owner, spans, onError, open } = parts;
  const { containers, deploy, onRefusedEgress } = await parts.deploying();
  const outgoing = await parts.outgoing();
  const { outbound, readCredentials, knowledge } = await parts.tools();
  const reader = fileReader({ pythons: containers.pythons, images: deploy.builder });
  const kinds = {
    refresh: refreshKind({ ...knowledge, outbound, readCredentials, reader }),
    push: pushRun({ db, resolver: engineResolver(containers.pythons), checkModels: requireOneFormat, refusedBefore }),
    deploy: deployKind(deploy),
    ...operationKinds(deploy),
  };
  const alone = config.database_url === undefined;
  const startContainerWork = async () => {
    const { deadline_seconds } = config.build;
    const sandboxes = startSandboxSweep({ engine: containers.engine, alone, deadline_seconds, onError });
    open.defer(async () => await sandboxes.stop());
    const worker = await startWorker(db, kinds, {
      owner,
      onError,
      alone,
      onEnd: async (run_id) => await recordDeploy(db, spans, run_id),
    });
    open.defer(async () => await worker.stop());
    const keeper = startKeeper(deploy, { onError });
    open.defer(async () => await keeper.stop());
    const sides = startSideSweep({
      db,
      runner: parts.hosted?.runner ?? containers.runner,
      owner,
      alone,
      onError,
    });
    open.defer(async () => await sides.stop());
  };
  return {
    handlers: {},
    start: async () => {
      if (config.has_engine) await startContainerWork();
      if (config.egress_host !== undefined) {
        const proxy = await startTokenProxy({
          ...egressOfAgents(config, parts.log, onRefusedEgress),
          db,
          ingress_key: deploy.ingress_key,
          address: config.egress_host,
          port: config.egress_port,
        });
        open.defer(async () => await proxy.close());
      }
      await outgoing.start();
      const expiry = startExpiry(db, { onError });
      open.defer(async () => await expiry.stop());
      const schedule = startSchedule(db, { onError });
      open.defer(async () => await schedule.stop());
      const alerts = startBudgetAlerts(db, { onError });
      open.defer(async () => await alerts.stop());
      const announcing = startAnnouncing(db, { onError });
      open.defer(async () => await announcing.stop());
    },
  };
}
