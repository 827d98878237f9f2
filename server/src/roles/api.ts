// The endpoints of the surface `api`. This role also signs the audit log and reads the organisation settings file.
import { approvalsRoutes } from '../agents/approvals/routes.ts';
import { planFor } from '../agents/deploy/plan-for.ts';
import { auditRoutes } from '../governance/audit/routes.ts';
import { costsRoutes } from '../models/ledger/routes.ts';
import { moveRevisionKeys } from '../agents/deploy/revision-key.ts';
import { deployRoutes } from '../agents/deploy/routes.ts';
import { findNamedUsers } from '../agents/deploy/named-users.ts';
import { findSecretUsers } from '../agents/deploy/secret-users.ts';
import { deriveKey } from '../ground/derive-key.ts';
import { eventsRoutes } from '../telling/events/routes.ts';
import { guardrailsRoutes } from '../models/guardrails/routes.ts';
import { cursors as sealedCursors } from '../governance/http/cursor.ts';
import { homeRoutes } from '../telling/home/routes.ts';
import type { SurfaceHandlers } from '../governance/http/handlers.ts';
import { invite, mailedUntil } from '../people/login/admit.ts';
import { issueMemberKey, issuesUserKeys, keysAtSignIn } from '../models/keys/holders/member-keys.ts';
import { keysRoutes } from '../models/keys/routes.ts';
import { modelsRoutes } from '../models/gateway/routes.ts';
import { clientsRoutes } from '../people/login/clients/routes.ts';
import { loginRoutes } from '../people/login/routes.ts';
import { notificationsRoutes } from '../telling/notifications/routes.ts';
import { threadsApiRoutes } from '../agents/memory/routes.ts';
import { connectionsRoutes } from '../agents/connections/routes.ts';
import { signingKeysRoutes } from '../governance/signing-keys/routes.ts';
import { countContainers } from '../agents/tools/hosted/count-containers.ts';
import { removeTargetRows } from '../agents/deploy/targets/named/remove-rows.ts';
import { removePromptRows } from '../agents/prompts/remove-rows.ts';
import { promptsRoutes } from '../agents/prompts/routes.ts';
import { toolsRoutes } from '../agents/tools/routes.ts';
import { orchestrationsRoutes } from '../agents/orchestration/routes.ts';
import { permissionsRoutes } from '../agents/permissions/routes.ts';
import { warnOfTooFewAdmins } from '../people/principals/enough-admins.ts';
import { applyOrgConfig, compareOrgConfig, type OrgFile } from '../people/principals/org-settings.ts';
import { principalsRoutes } from '../people/principals/routes.ts';
import { openProof } from '../governance/proof/open.ts';
import { startSealer } from '../governance/proof/sealing/sealer.ts';
import { ownedAssets } from '../assets/registry/find.ts';
import { outsideRegistryRoutes, registryRoutes } from '../assets/registry/routes.ts';
import { secretsRoutes } from '../assets/secrets/routes.ts';
import { servicePrincipalsRoutes } from '../people/service-principals/routes.ts';
import { addressCheck } from '../service/address-check.ts';
import { auditPushChecks } from '../service/audit-push-checks.ts';
import { machineChecks } from '../service/checks.ts';
import { checkOrg } from '../service/check-org.ts';
import { logCheck } from '../service/log-check.ts';
import { orgFileCheck } from '../service/org-file-check.ts';
import { governanceReady } from '../service/readiness.ts';
import { serviceRoutes } from '../service/routes.ts';
import { targetCheck } from '../service/target-check.ts';
import { traceCheck } from '../service/trace-check.ts';
import { tracesRoutes } from '../models/traces/routes.ts';
import { version } from '../ground/version.ts';
import { webhooksRoutes } from '../telling/webhooks/routes.ts';
import { forgets } from './leaving.ts';
import { removeKnowledgeRows } from '../agents/knowledge/remove-rows.ts';
import { knowledgeRoutes } from '../agents/knowledge/routes.ts';
import { mcpRegistryRoutes } from '../agents/served/routes.ts';
import type { Role, RoleParts } from './role.ts';

export async function openApi(parts: RoleParts): Promise<Role> {
  const {
    config,
    log,
    db,
    secret_key,
    keys,
    passwords,
    tokens,
    client_tokens,
    readAsOf,
    base_url,
    stopping,
    onError,
    open,
  } = parts;
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
  const tools = await parts.tools();
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
    addressCheck(db, base_url),
    outgoing.check,
    ...auditPushChecks(db, parts.receivers),
    ...containers.checks,
    targetCheck(deploy.targets),
  ];
  const handlers: SurfaceHandlers<'api' | 'oauth' | 'hooks'> = {
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
    ...clientsRoutes({ db, tokens: client_tokens, outbound: tools.outbound, base_url }),
    ...principalsRoutes({
      db,
      cursors,
      passwords,
      leaves: deploy.leaves,
      issueKey: issuesUserKeys(maker),
      mailedUntil,
      invite: config.mail === undefined ? undefined : invite,
      orgFile: () => orgFile,
    }),
    ...servicePrincipalsRoutes({
      db,
      cursors,
      leaves: deploy.leaves,
      digest_key: key_digest,
      issueGatewayKey: async (tx, principal) => await issueMemberKey(maker, tx, { ...principal, scope: 'principal' }),
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
      findNamedUsers,
      removeRows: {
        target: removeTargetRows,
        prompt: removePromptRows,
        'knowledge-base': removeKnowledgeRows,
        'rag-index': removeKnowledgeRows,
      },
      countContainers,
      rules: tools.rules,
    }),
    ...outsideRegistryRoutes(tools),
    ...knowledgeRoutes({ ...tools.knowledge, cursors }),
    ...approvalsRoutes({
      db,
      cursors,
      targets: async () => await deploy.targets.names(),
      planFor: planFor(deploy.targets),
    }),
    ...notificationsRoutes({ db, cursors, catchUp: outgoing.catchUp }),
    ...orchestrationsRoutes(db),
    ...permissionsRoutes({ db, targets: deploy.targets, cursors, readAsOf }),
    ...secretsRoutes({ db, cursors, stores: deploy.secret_stores, findUsers: findSecretUsers }),
    ...deployRoutes({ ...deploy, onError }),
    ...threadsApiRoutes({ db, envelope: parts.envelope, cursors, forgets }),
    ...promptsRoutes({ db, cursors, ...maker, models: parts.models }),
    ...toolsRoutes({ ...tools, cursors }),
    ...mcpRegistryRoutes({ db, cursors, base_url }),
    ...connectionsRoutes(tools),
    ...signingKeysRoutes({ db, envelope: parts.envelope }),
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
