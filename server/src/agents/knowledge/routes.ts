import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import type { Cursors } from '../../governance/http/cursor.ts';
import type { Handlers } from '../../governance/http/handlers.ts';
import { lastSeq } from '../../governance/http/request/last-event-id.ts';
import { whileAllowed } from '../../governance/http/answer/while-allowed.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { loadAsset } from '../../assets/registry/load-asset.ts';
import { ofNoRun } from './chunks/embed-chunks.ts';
import { eraseDocument } from './erase-document.ts';
import { callHook } from './hooks/call-hook.ts';
import { createHook, deleteHook, showUpkeep } from './hooks/keep-hook.ts';
import type { SearchParts } from './parts.ts';
import { refresh } from './refresh/refresh.ts';
import { cancelRefresh, refreshEvents, requireReadableRefresh, showRefresh } from './refresh/show-refresh.ts';
import { testQuality } from './quality/test-quality.ts';
import { explainSearch } from './search/explain.ts';
import { search } from './search/search.ts';
import { showText } from './show-text.ts';
import { listSnapshots, showSnapshot } from './snapshots/list-snapshots.ts';
import { serveSnapshot } from './snapshots/serve.ts';
import { deleteUpload } from './uploads/delete-upload.ts';
import { listUploads } from './uploads/list-uploads.ts';
import { openUploads } from './uploads/upload.ts';

interface Asked {
  name: string;
  query: string;
  limit?: number | undefined;
  signal: AbortSignal;
}

export function knowledgeRoutes(
  parts: SearchParts & { cursors: Cursors },
): Handlers<'knowledge'> & Handlers<'refreshes'> {
  const { db } = parts;
  const upload = openUploads(db);
  /** For themselves. */
  const find = async (caller: Caller, kind: 'knowledge-base' | 'rag-index', asked: Asked) => {
    const user = signedIn(caller);
    const asset = await loadAsset(db, { kind, name: asked.name }, user);
    authorize(user, 'asset.invoke', asset);
    return await search(parts, { ...asked, asset, caller: user, run: ofNoRun(user) });
  };
  const why = async (
    caller: Caller,
    kind: 'knowledge-base' | 'rag-index',
    asked: Asked & { for?: string | undefined },
  ) => {
    const user = signedIn(caller);
    const asset = await loadAsset(db, { kind, name: asked.name }, user);
    return await explainSearch(parts, { ...asked, asset, caller: user, run: ofNoRun(user) });
  };
  return {
    'knowledge.refresh': async ({ caller, params }) =>
      await refresh(parts, caller, { kind: 'knowledge-base', name: params.name }),
    'knowledge.refresh_index': async ({ caller, params }) =>
      await refresh(parts, caller, { kind: 'rag-index', name: params.name }),
    'refreshes.show': async ({ caller, params }) => await showRefresh(db, caller, params.id),
    'refreshes.events': async ({ caller, callerNow, params: { id }, query, headers, signal }) => {
      const after = lastSeq(headers) ?? query.after ?? 0;
      const decide = async () => await requireReadableRefresh(db, await callerNow(), id);
      return await whileAllowed(
        { decide, signal },
        async (until) => await refreshEvents(db, caller, { id, after, signal: until }),
      );
    },
    'refreshes.cancel': async ({ caller, params }) => await cancelRefresh(db, caller, params.id),
    'knowledge.snapshots': async ({ caller, params, query }) =>
      await listSnapshots(parts, caller, { ...params, ...query }),
    'knowledge.snapshot': async ({ caller, params }) => await showSnapshot(db, caller, params),
    'knowledge.serve': async ({ caller, params }) => await serveSnapshot(db, caller, params),
    'knowledge.search': async ({ caller, params, body, signal }) =>
      await find(caller, 'knowledge-base', { ...params, ...body, signal }),
    'knowledge.search_index': async ({ caller, params, body, signal }) =>
      await find(caller, 'rag-index', { ...params, ...body, signal }),
    'knowledge.why': async ({ caller, params, body, signal }) =>
      await why(caller, 'knowledge-base', { ...params, ...body, signal }),
    'knowledge.why_index': async ({ caller, params, body, signal }) =>
      await why(caller, 'rag-index', { ...params, ...body, signal }),
    'knowledge.test': async ({ caller, params, body, signal }) =>
      await testQuality(parts, signedIn(caller), { ...params, ...body, signal }),
    'knowledge.erase': async ({ caller, params, body }) => await eraseDocument(db, caller, { ...params, ...body }),
    'knowledge.uploads': async ({ caller, params, query }) => await listUploads(parts, caller, { ...params, ...query }),
    'knowledge.upload': async ({ caller, params, query, body, signal, callerNow }) =>
      await upload(caller, { ...params, ...query, file: body, signal, callerNow }),
    'knowledge.delete_upload': async ({ caller, params, query }) =>
      await deleteUpload(db, caller, { ...params, ...query }),
    'knowledge.upkeep': async ({ caller, params }) => await showUpkeep(parts, caller, params.name),
    'knowledge.create_hook': async ({ caller, params }) => await createHook(parts, caller, params.name),
    'knowledge.delete_hook': async ({ caller, params }) => await deleteHook(parts, caller, params.name),
    'knowledge.call_hook': async ({ caller, params, headers, body }) =>
      await callHook(parts, { id: params.id, origin: caller.origin, headers, body }),
    'knowledge.text': async ({ caller, params, query }) => await showText(db, caller, { ...params, ...query }),
  };
}
