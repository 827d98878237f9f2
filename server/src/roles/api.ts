// The endpoints of the surface `api`. This role also signs the audit log and reads the organisation settings file.
import { approvalsRoutes } from '../approvals/routes.ts';
import { auditRoutes } from '../audit/routes.ts';
import { costsRoutes } from '../ledger/routes.ts';
import { moveRevisionKeys } from '../deploy/revision-key.ts';
import { deployRoutes } from '../deploy/routes.ts';
import { findModelUsers } from '../deploy/model-users.ts';
import { findSecretUsers } from '../deploy/secret-users.ts';
import { deriveKey } from '../derive-key.ts';
import { eventsRoutes } from '../events/routes.ts';
import { guardrailsRoutes } from '../guardrails/routes.ts';
import { cursors as sealedCursors } from '../http/cursor.ts';
import { homeRoutes } from '../home/routes.ts';
import type { SurfaceHandlers } from '../http/handlers.ts';
import { invite, mailedUntil } from '../login/admit.ts';
import { endKeysOf, endKeysOfTeam, endKeysOfUser } from '../keys/end-keys.ts';
import { issueMemberKey, issuesUserKeys, keysAtSignIn } from '../keys/member-keys.ts';
import { keysRoutes } from '../keys/routes.ts';
import { modelsRoutes } from '../gateway/routes.ts';
import { loginRoutes } from '../login/routes.ts';
import { endSessions } from '../login/sessions.ts';
import { notificationsRoutes } from '../notifications/routes.ts';
import { orchestrationsRoutes } from '../orchestration/routes.ts';
import { permissionsRoutes } from '../permissions/routes.ts';
import { warnOfTooFewAdmins } from '../principals/enough-admins.ts';
import { applyOrgConfig, compareOrgConfig, type OrgFile } from '../principals/org-settings.ts';
import { principalsRoutes } from '../principals/routes.ts';
import { openProof } from '../proof/open.ts';
import { startSealer } from '../proof/sealing/sealer.ts';
import { ownedAssets } from '../registry/find.ts';
import { assetsOfTeam, holdAssets, moveOwnership, ownedIn } from '../registry/ownership/move-ownership.ts';
import { registryRoutes } from '../registry/routes.ts';
import { secretsOfTeam } from '../secrets/remove.ts';
import { secretsRoutes } from '../secrets/routes.ts';
import { endKeysShownTo, principalsOfTeam } from '../service-principals/find.ts';
import { servicePrincipalsRoutes } from '../service-principals/routes.ts';
import { auditPushChecks } from '../service/audit-push-checks.ts';
import { machineChecks } from '../service/checks.ts';
import { checkOrg } from '../service/check-org.ts';
import { logCheck } from '../service/log-check.ts';
import { orgFileCheck } from '../service/org-file-check.ts';
import { governanceReady } from '../service/readiness.ts';
import { serviceRoutes } from '../service/routes.ts';
import { traceCheck } from '../service/trace-check.ts';
import { tracesRoutes } from '../traces/routes.ts';
import { version } from '../version.ts';
import { webhooksRoutes } from '../webhooks/routes.ts';
import type { Role, RoleParts } from './role.ts';

export async function openApi(parts: RoleParts): Promise<Role> {
  const { config, log, db, secret_key, keys, passwords, tokens, readAsOf, base_url, stopping, onError, open } = parts;
  const { org_config, data_dir } = config;
  let orgFile: OrgFile = { path: null, settings: {} };
  const readSettings = async () => {
    if (org_config === undefined) return;
    orgFile = await applyOrgConfig(db, org_config);
    log.info(orgFile, 'organisation settings read');
    const warning = await warnOfTooFewAdmins(db);
    if (warning !== undefined) log.warn(warning);
  };
  await readSettings();
  const proof = await openProof(config, db, parts.installation_id);
  const sealer = startSealer(proof, { heartbeat_seconds: config.audit.heartbeat_seconds, onError });
  open.defer(async () => await sealer.stop());
  const { containers, deploy } = await parts.deploying();
  const outgoing = await parts.outgoing();
  const cursors = sealedCursors(deriveKey(secret_key, 'cursor'));
  const maker = { pepper: keys['key-pepper'], envelope: parts.envelope };
  const key_digest = keys['service-key'];
  const orgFileChecks =
    org_config === undefined ? [] : [orgFileCheck(org_config, async () => await compareOrgConfig(db, org_config))];
  const checks = [
    ...machineChecks(db, data_dir, version),
    ...orgFileChecks,
    logCheck(sealer, { anchor_file: config.audit.anchor_file, data_dir }),
    traceCheck(db),
    outgoing.check,
    ...auditPushChecks(db, parts.receivers),
    ...containers.checks,
  ];
  const handlers: SurfaceHandlers<'api'> = {
    ...serviceRoutes({ base_url, version, checks, orgCheck: async () => await checkOrg(db, config) }),
    ...loginRoutes({
      db,
      passwords,
      tokens,
      key_digest,
      password_tokens: outgoing.password_tokens,
      mails_tokens: config.mail !== undefined,
      waitingKeys: async (holder) => await keysAtSignIn({ db, ...maker }, holder),
    }),
    ...principalsRoutes({
      db,
      cursors,
      passwords,
      ownership: {
        owned: ownedIn,
        move: moveOwnership,
        issueKey: issuesUserKeys(maker),
        endKeys: async (tx, user_id, team_id) => [
          ...(await endKeysShownTo(tx, user_id, team_id)),
          ...(await endKeysOfUser(tx, user_id, team_id)),
        ],
        endKeysOfTeam,
        holdAssets,
        assetsOfTeam,
        principalsOfTeam,
        secretsOfTeam,
      },
      endSessions,
      mailedUntil,
      invite: config.mail === undefined ? undefined : invite,
      orgFile: () => orgFile,
    }),
    ...servicePrincipalsRoutes({
      db,
      cursors,
      holdAssets,
      digest_key: key_digest,
      issueGatewayKey: async (tx, principal) => await issueMemberKey(maker, tx, { ...principal, scope: 'principal' }),
      endGatewayKeys: endKeysOf,
    }),
    ...keysRoutes({ db, cursors, ...maker }),
    ...costsRoutes({ db }),
    ...guardrailsRoutes({ db }),
    ...tracesRoutes({ db, cursors }),
    ...modelsRoutes({ db, cursors, gateway: await parts.models() }),
    ...registryRoutes({
      db,
      cursors,
      data_dir,
      readAsOf,
      moveKeys: async (tx, agent) => await moveRevisionKeys(maker, tx, agent),
      findModelUsers,
    }),
    ...approvalsRoutes({ db, cursors, targets: Object.keys(deploy.targets) }),
    ...notificationsRoutes({ db, cursors, catchUp: outgoing.catchUp }),
    ...orchestrationsRoutes(db),
    ...permissionsRoutes({ db, cursors, readAsOf }),
    ...secretsRoutes({ db, cursors, stores: deploy.secret_stores, findUsers: findSecretUsers }),
    ...deployRoutes(deploy),
    ...homeRoutes(deploy),
    ...eventsRoutes({ db, catchUp: outgoing.catchUp, onError }),
    ...webhooksRoutes({ ...outgoing.webhooks, cursors }),
    ...auditRoutes({
      db,
      cursors,
      proof,
      seal: sealer.seal,
      ownedBy: async (user_id) => await ownedAssets(db, user_id),
    }),
  };
  return { handlers, readSettings, ready: governanceReady({ sealer, orgFile: orgFileChecks[0], stopping }) };
}
