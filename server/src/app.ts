// Builds every part with what it needs and starts the roles. The only composition: what it does not hand over, no part can reach.
import { hostname } from 'node:os';
import { join } from 'node:path';
import { startExpiry } from './approvals/expire.ts';
import { approvalsRoutes } from './approvals/routes.ts';
import { refusalRecorder } from './access/refused.ts';
import { destinations } from './audit/push/destination.ts';
import { governanceHead } from './audit/chain.ts';
import { auditRoutes } from './audit/routes.ts';
import type { Config } from './config.ts';
import { openCopies } from './copies/copies.ts';
import { openContainers } from './containers.ts';
import { imageBuilder } from './deploy/build-image.ts';
import { deployKind } from './deploy/deploy-kind.ts';
import { startKeeper } from './deploy/keeper.ts';
import { deployRoutes } from './deploy/routes.ts';
import type { DeployParts } from './deploy/parts.ts';
import { deriveKey } from './derive-key.ts';
import { openFoundation, type Foundation } from './foundation.ts';
import { cursors as sealedCursors } from './http/cursor.ts';
import { carryOutOnce } from './http/idempotency.ts';
import { mount } from './http/mount.ts';
import { clientAddress } from './http/peer.ts';
import { requestLog } from './http/request-log.ts';
import { serve } from './http/serve.ts';
import { openIngress } from './invoke/ingress.ts';
import { invokeRoutes } from './invoke/routes.ts';
import { instanceEpoch, servingAgents } from './deploy/serving.ts';
import { invite, mailedUntil } from './login/admit.ts';
import { authenticator, openSessions } from './login/authenticate.ts';
import { readAsOf } from './login/read-as-of.ts';
import { loginRoutes } from './login/routes.ts';
import { endSessions } from './login/sessions.ts';
import { tokens as signedTokens } from './login/token.ts';
import type { Log } from './log.ts';
import { applyOrgConfig, compareOrgConfig, type OrgFile } from './principals/org-settings.ts';
import { warnOfTooFewAdmins } from './principals/enough-admins.ts';
import { installationId, settings } from './principals/find.ts';
import { notificationsRoutes } from './notifications/routes.ts';
import { openOutgoing } from './outgoing.ts';
import { openProof } from './proof/open.ts';
import { startSealer } from './proof/sealing/sealer.ts';
import { permissionsRoutes } from './permissions/routes.ts';
import { principalsRoutes } from './principals/routes.ts';
import { seed, seed_password } from './principals/seed.ts';
import { engineResolver } from './registry/dependencies/engine-resolver.ts';
import { ownedAssets } from './registry/find.ts';
import { assetsOfTeam, holdAssets, moveOwnership, ownedIn } from './registry/ownership/move-ownership.ts';
import { pushRun } from './registry/push/push-run.ts';
import { registryRoutes } from './registry/routes.ts';
import { startWorker } from './runs/worker.ts';
import { auditPushChecks } from './service/audit-push-checks.ts';
import { machineChecks } from './service/checks.ts';
import { checkOrg } from './service/check-org.ts';
import { logCheck } from './service/log-check.ts';
import { orgFileCheck } from './service/org-file-check.ts';
import { readiness } from './service/readiness.ts';
import { serviceRoutes } from './service/routes.ts';
import { endKeysShownTo, principalsOfTeam } from './service-principals/find.ts';
import { servicePrincipalsRoutes } from './service-principals/routes.ts';
import { version } from './version.ts';
import { webhooksRoutes } from './webhooks/routes.ts';

export interface App {
  url: string;
  /** Rejects when a part ends that the service cannot do without. */
  failed: Promise<never>;
  /** Reads the organisation settings file again. */
  readSettings(): Promise<void>;
  stop(): Promise<void>;
}

const close_wait_ms = 10_000;
const wrapper_directory = join(import.meta.dirname, '../../wrapper/_svc_wrapper');

export async function startApp(config: Config, log: Log, given?: Foundation): Promise<App> {
  const onError = (error: unknown) => log.error({ err: error }, 'a part of the service failed');
  // What is open is closed newest first, by a stop as by a start that fails half way.
  await using open = new AsyncDisposableStack();
  const foundation = given ?? (await openFoundation(config, onError));
  open.defer(async () => await foundation.close());
  const { db, secret_key, passwords } = foundation;
  await seed(db, { password_hash: await passwords.hash(seed_password), must_change: true });
  let orgFile: OrgFile = { path: null, settings: {} };
  const readSettings = async () => {
    if (config.org_config === undefined) return;
    orgFile = await applyOrgConfig(db, config.org_config);
    log.info(orgFile, 'organisation settings read');
    const warning = await warnOfTooFewAdmins(db);
    if (warning !== undefined) log.warn(warning);
  };
  await readSettings();

  const proof = await openProof(config, db, await installationId(db));
  const sealer = startSealer(proof, { heartbeat_seconds: config.audit.heartbeat_seconds, onError });
  open.defer(async () => await sealer.stop());

  const stopping = new AbortController();
  let url = config.base_url ?? '';
  const base_url = () => url;
  const cursors = sealedCursors(deriveKey(secret_key, 'cursor'));
  const tokens = signedTokens(deriveKey(secret_key, 'access-token'));
  const key_digest = deriveKey(secret_key, 'service-key');
  const copies = openCopies(db, { proofs: [governanceHead, instanceEpoch], openSessions });
  const asOf = readAsOf(copies);
  const recordRefusal = refusalRecorder(db);
  const containers = openContainers(config, await installationId(db), log);
  open.defer(async () => await containers.close());
  const deploy: DeployParts = {
    db,
    cursors,
    builder: imageBuilder({ engine: containers.engine, pythons: containers.pythons, wrapper_directory }),
    targets: containers.targets,
    recordRefusal,
    ingress_key: deriveKey(secret_key, 'ingress-secret'),
    base_url,
    artefact_directory: join(config.data_dir, 'agents'),
    start_deadline_ms: config.start_deadline_seconds * 1000,
    drain_limit_ms: config.drain_limit_seconds * 1000,
  };
  const ingress = openIngress({
    db,
    agents: servingAgents({ ...deploy, readAsOf: asOf }),
    sync_budget_ms: config.sync_budget_seconds * 1000,
    stopping: stopping.signal,
    onError,
  });
  open.defer(async () => await ingress.close());
  const receivers = destinations(config.audit_push);
  const outgoing = await openOutgoing(config, { db, secret_key, base_url, receivers, onError });
  open.defer(async () => await outgoing.close());
  const { org_config } = config;
  const orgFileChecks =
    org_config === undefined ? [] : [orgFileCheck(org_config, async () => await compareOrgConfig(db, org_config))];
  const requests = requestLog(log);
  const ready = readiness(db, {
    data_dir: config.data_dir,
    stopping: stopping.signal,
    sealer,
    orgFile: orgFileChecks[0],
  });
  const http = mount({
    handlers: {
      ...serviceRoutes({
        base_url,
        version,
        ready,
        checks: [
          ...machineChecks(db, config.data_dir, version),
          ...orgFileChecks,
          logCheck(sealer, { anchor_file: config.audit.anchor_file, data_dir: config.data_dir }),
          outgoing.check,
          ...auditPushChecks(db, receivers),
          ...containers.checks,
        ],
        orgCheck: async () => await checkOrg(db, config),
      }),
      ...loginRoutes({
        db,
        passwords,
        tokens,
        key_digest,
        password_tokens: outgoing.password_tokens,
        mails_tokens: config.mail !== undefined,
      }),
      ...principalsRoutes({
        db,
        cursors,
        passwords,
        ownership: {
          owned: ownedIn,
          move: moveOwnership,
          endKeys: endKeysShownTo,
          holdAssets,
          assetsOfTeam,
          principalsOfTeam,
        },
        endSessions,
        mailedUntil,
        invite: config.mail === undefined ? undefined : invite,
        orgFile: () => orgFile,
      }),
      ...servicePrincipalsRoutes({ db, cursors, holdAssets, digest_key: key_digest }),
      ...registryRoutes({ db, cursors, data_dir: config.data_dir, readAsOf: asOf }),
      ...approvalsRoutes({ db, cursors }),
      ...notificationsRoutes({ db, cursors, catchUp: outgoing.catchUp }),
      ...permissionsRoutes({ db, cursors, readAsOf: asOf }),
      ...deployRoutes(deploy),
      ...invokeRoutes(ingress),
      ...webhooksRoutes({ ...outgoing.webhooks, cursors }),
      ...auditRoutes({
        db,
        cursors,
        proof,
        seal: sealer.seal,
        ownedBy: async (user_id) => await ownedAssets(db, user_id),
      }),
    },
    ways: { bearer: { header: 'authorization', authenticate: authenticator(db, tokens, copies) } },
    recordRefusal,
    carryOutOnce: carryOutOnce(db, deriveKey(secret_key, 'request-digest')),
    clientAddress: clientAddress(config.trusted_proxies),
    log: requests,
    mustChangeFirst: async () => (await settings(db)).enforce_password_change,
    stopping: stopping.signal,
  });
  const listening = await serve(http, config, requests.unparsed);
  open.defer(async () => await listening.close(close_wait_ms));
  url = config.base_url ?? listening.url;
  const kinds = { push: pushRun({ db, resolver: engineResolver(containers.pythons) }), deploy: deployKind(deploy) };
  const owner = `${hostname()}:${process.pid}`;
  const worker = await startWorker(db, kinds, {
    owner,
    onError,
    alone: config.database_url === undefined,
  });
  open.defer(async () => await worker.stop());
  await outgoing.start();
  const keeper = startKeeper(deploy, { onError });
  open.defer(async () => await keeper.stop());
  const expiry = startExpiry(db, { onError });
  open.defer(async () => await expiry.stop());
  ingress.background(ingress.pickUpRuns());
  await foundation.lock.announce(listening.url);
  log.info({ url, listening: listening.url, version }, 'the service is ready');

  open.defer(() => stopping.abort());
  const parts = open.move();
  return { url: listening.url, failed: foundation.failed, readSettings, stop: async () => await parts.disposeAsync() };
}
