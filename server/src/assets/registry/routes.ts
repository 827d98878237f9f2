import { approvedVersions, closePending } from '../../agents/approvals/approval-for.ts';
import { refuseApprovedNewest } from '../../agents/approvals/submit.ts';
import type { AssetRef } from '@gantry/contract/refs.ts';
import type { Caller } from '../../governance/access/caller.ts';
import type { Database } from '../../ground/database/database.ts';
import type { Cursors } from '../../governance/http/cursor.ts';
import type { Handlers } from '../../governance/http/handlers.ts';
import { lastSeq } from '../../governance/http/request/last-event-id.ts';
import { whileAllowed } from '../../governance/http/answer/while-allowed.ts';
import type { RuleThread } from './call-rules/rule-thread.ts';
import { create } from './assets/create.ts';
import { deleteAsset, type RemoveRows } from './assets/delete.ts';
import { edit } from './assets/edit.ts';
import { list, search } from './assets/list.ts';
import { publish } from './assets/publish.ts';
import { compareVersions } from './difference/compare-versions.ts';
import { push } from './push/push.ts';
import { pushPlaces } from './push/push-places.ts';
import { setVisibility } from './assets/set-visibility.ts';
import { pushEvents, requireReadablePush, showPush } from './push/show-push.ts';
import { showVersion } from './assets/show-version.ts';
import { show, showAsOf } from './assets/show.ts';
import { usedBy, type FindNamedUsers } from './references/in-use.ts';
import { readOutsideServer, searchOutsideServers, type OutsideRegistryParts } from './outside-registry/read-servers.ts';
import { pinServerTools, showServerTools, type CountContainers } from './tool-lists/server-tools.ts';
import { transfer, type MoveKeys } from './ownership/transfer.ts';
import { pushSkill } from './skills/push-skill.ts';
import { listFiles, showFile } from './versions/files.ts';
import type { ReadAsOf } from '../../people/login/read-as-of.ts';

type RegistryHandlers = Pick<Handlers<'agents'>, 'agents.push'> &
  Handlers<'pushes'> &
  Handlers<'skills'> &
  Handlers<'registry'> &
  Pick<Handlers<'tools'>, 'tools.show' | 'tools.pin'>;

interface RegistryParts {
  db: Database;
  cursors: Cursors;
  data_dir: string;
  readAsOf: ReadAsOf;
  /** A higher folder provides it. */
  moveKeys: MoveKeys;
  findNamedUsers: FindNamedUsers;
  removeRows: RemoveRows;
  countContainers: CountContainers;
  rules: RuleThread;
}

export function registryRoutes({
  db,
  countContainers,
  cursors,
  data_dir,
  readAsOf,
  moveKeys,
  findNamedUsers,
  removeRows,
  rules,
}: RegistryParts): RegistryHandlers {
  const parts = { db, places: pushPlaces(data_dir), rules };
  const approvals = { findApproved: approvedVersions, refuseApprovedNewest };
  const shown = async (caller: Caller, ref: AssetRef) => await show(db, approvals, caller, ref);
  const showNow = showAsOf({ db, readAsOf }, approvals);
  return {
    'agents.push': async ({ caller, callerNow, params, query, body, signal }) => {
      const request = { name: params.name, message: query.message, archive: body, signal, callerNow };
      return await showPush(db, caller, await push(parts, caller, request));
    },
    'skills.push': async ({ caller, callerNow, params, query, body, signal }) =>
      await pushSkill(parts, caller, { ...params, ...query, archive: body, signal, callerNow }),
    'pushes.show': async ({ caller, params }) => await showPush(db, caller, params.id),
    'pushes.events': async ({ caller, callerNow, params, query, headers, signal }) => {
      const after = lastSeq(headers) ?? query.after ?? 0;
      const decide = async () => await requireReadablePush(db, await callerNow(), params.id);
      return await whileAllowed(
        { decide, signal },
        async (until) => await pushEvents(db, caller, params.id, after, until),
      );
    },
    'registry.search': async ({ caller, query }) => await search(db, cursors, caller, query),
    'registry.list': async ({ caller, params, query }) =>
      await list(db, cursors, caller, { ...query, kind: params.kind }),
    'registry.show': async ({ caller, params }) => await showNow(caller, params),
    'registry.show_version': async ({ caller, params }) => await showVersion(db, approvedVersions, caller, params),
    'registry.difference': async ({ caller, params, query }) =>
      await compareVersions(db, caller, { ...params, ...query }),
    'registry.files': async ({ caller, params }) => await listFiles(db, caller, params),
    'registry.show_file': async ({ caller, params, query }) => await showFile(db, caller, { ...params, ...query }),
    'registry.used_by': async ({ caller, params }) => await usedBy({ db, findNamedUsers }, caller, params),
    'tools.show': async ({ caller, params, query }) =>
      await showServerTools({ db, countContainers }, caller, { ...params, ...query }),
    'tools.pin': async ({ caller, params, query, body }) =>
      await pinServerTools({ db, countContainers }, caller, { ...params, ...query, ...body }),
    'registry.create': async ({ caller, params, body }) => {
      await create(parts, caller, params.kind, body);
      return await shown(caller, { kind: params.kind, name: body.name });
    },
    'registry.edit': async ({ caller, params, body }) => {
      await edit({ ...parts, findNamedUsers }, caller, params, body);
      return await shown(caller, params);
    },
    'registry.set_visibility': async ({ caller, params, body }) =>
      await setVisibility(db, caller, params, body.visibility),
    'registry.publish': async ({ caller, params }) => await publish(db, caller, params, true),
    'registry.unpublish': async ({ caller, params }) => await publish(db, caller, params, false),
    'registry.transfer': async ({ caller, params, body }) =>
      await transfer({ db, closeRequests: closePending, moveKeys }, caller, params, body),
    'registry.delete': async ({ caller, params, query }) =>
      await deleteAsset({ db, closeRequests: closePending, findNamedUsers, removeRows }, caller, {
        ...params,
        ...query,
      }),
  };
}

export function outsideRegistryRoutes(parts: OutsideRegistryParts): Handlers<'outside_registry'> {
  return {
    'outside_registry.read': async ({ caller, body, signal }) =>
      await readOutsideServer(parts, caller, { ...body, signal }),
    'outside_registry.search': async ({ caller, body, signal }) =>
      await searchOutsideServers(parts, caller, { ...body, signal }),
  };
}
