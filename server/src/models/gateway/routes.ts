import { authorize } from '../../governance/access/authorize.ts';
import type { Caller, KeyCaller } from '../../governance/access/caller.ts';
import { theOrg } from '../../governance/access/subject.ts';
import type { Database } from '../../ground/database/database.ts';
import type { Call, Handlers, SurfaceHandlers } from '../../governance/http/handlers.ts';
import type { AgentFormat, AgentModels } from './agents/agent-models.ts';
import { callModel } from './call.ts';
import { listCatalogue, showInCatalogue, type ModelParts } from './catalogue/catalogue.ts';
import { asJsonArray } from './json-array.ts';
import { listGeminiModels, showGeminiModel } from './catalogue/list-gemini-models.ts';
import { withLines } from './lines.ts';
import { showModel } from './catalogue/list-models.ts';
import { listModelsAndAgents } from './agents/list-agents.ts';
import { listOllamaModels, showOllamaModel } from './catalogue/list-ollama-models.ts';
import type { GatewayParts } from './parts.ts';
import { openReceiver } from './receive-spans.ts';
import { testModel } from './catalogue/test-model.ts';
import { version } from '../../ground/version.ts';
import { chatCompletions } from './wires/chat-completions.ts';
import { embeddings } from './wires/embeddings.ts';
import { geminiBody } from './wires/gemini-body.ts';
import { batchEmbedContents, embedContent } from './wires/gemini-embeddings.ts';
import { countGeminiTokens } from './wires/gemini-tokens.ts';
import { generateContent, streamGenerateContent } from './wires/gemini.ts';
import { countTokens, messages } from './wires/messages.ts';
import { ollamaEmbed, ollamaEmbeddings } from './wires/ollama-embeddings.ts';
import { ollamaChat, ollamaGenerate } from './wires/ollama.ts';
import { responses } from './wires/responses.ts';
import type { Wire } from './wires/wire.ts';

export function gatewayRoutes(
  db: Database,
  parts: GatewayParts,
  agents: AgentModels,
): SurfaceHandlers<'gateway' | 'gemini' | 'ollama'> {
  const calls =
    (wire: Wire, format?: AgentFormat) =>
    async ({ caller, ...call }: ModelCall) =>
      await callModel(parts, wire, {
        ...callOf(call),
        caller: withKey(caller),
        ...(format && { agents: { format, call: agents.call } }),
      });
  const geminiCalls =
    (wire: Wire) =>
    async ({ caller, params: { model }, ...call }: GeminiCall) =>
      await callModel(parts, wire, {
        ...callOf(call),
        caller: withKey(caller),
        canonical: (sent) => geminiBody(sent, model),
      });
  const ollamaCalls = (wire: Wire) => async (call: ModelCall) => withLines(await calls(wire)(call));
  const streamGemini = geminiCalls(streamGenerateContent);
  const receive = openReceiver(parts);
  return {
    'gateway.chat_completions': calls(chatCompletions, 'chat'),
    'gateway.responses': calls(responses, 'responses'),
    'gateway.embeddings': calls(embeddings),
    'gateway.messages': calls(messages),
    'gateway.count_tokens': calls(countTokens),
    'gateway.spans': async ({ caller, body, headers }) => {
      authorize(caller, 'span.send', theOrg);
      return await receive(keyOf(caller), { body, headers });
    },
    'gateway.models': async ({ caller, query: { limit, after_id } }) => {
      const all = await listModelsAndAgents({ db, agents }, withKey(caller));
      const data = all.slice(all.findIndex(({ id }) => id === after_id) + 1).slice(0, limit);
      const last_id = data.at(-1)?.id ?? null;
      return {
        object: 'list',
        data,
        has_more: last_id !== (all.at(-1)?.id ?? null),
        first_id: data[0]?.id ?? null,
        last_id,
      };
    },
    'gateway.model': async ({ caller, params }) => await showModel(db, withKey(caller), params.model),
    'gemini.generate': geminiCalls(generateContent),
    'gemini.stream': async ({ query, ...call }) => {
      const reply = await streamGemini(call);
      return query.alt === 'sse' ? reply : asJsonArray(reply);
    },
    'gemini.count_tokens': geminiCalls(countGeminiTokens),
    'gemini.embed': geminiCalls(embedContent),
    'gemini.embed_batch': geminiCalls(batchEmbedContents),
    'gemini.models': async ({ caller, query }) => await listGeminiModels(db, withKey(caller), query),
    'ollama.chat': ollamaCalls(ollamaChat),
    'ollama.generate': ollamaCalls(ollamaGenerate),
    'ollama.embed': ollamaCalls(ollamaEmbed),
    'ollama.embeddings': ollamaCalls(ollamaEmbeddings),
    'ollama.tags': async ({ caller }) => await listOllamaModels(db, withKey(caller)),
    'ollama.show': async ({ caller, body: { model, name } }) =>
      await showOllamaModel(db, withKey(caller), model ?? name ?? ''),
    'ollama.version': async ({ caller }) => {
      withKey(caller);
      return await Promise.resolve({ version });
    },
    'gemini.model': async ({ caller, params }) => await showGeminiModel(db, withKey(caller), params.model),
  };
}

type CallParts = Pick<Call<'gateway.messages'>, 'body' | 'headers' | 'signal' | 'trace' | 'whileWaiting'>;
type ModelCall = CallParts & Pick<Call<'gateway.messages'>, 'caller'>;
type GeminiCall = ModelCall & Pick<Call<'gemini.generate'>, 'params'>;

function callOf({ body, headers, signal, trace, whileWaiting }: CallParts): CallParts {
  return { body, headers, signal, trace, whileWaiting };
}

export function modelsRoutes(parts: ModelParts): Handlers<'models'> {
  return {
    'models.list': async ({ caller, query }) => await listCatalogue(parts, caller, query),
    'models.show': async ({ caller, params }) => await showInCatalogue(parts, caller, params.name),
    'models.test': async ({ caller, params, signal }) => await testModel(parts, caller, params.name, signal),
  };
}

function withKey(caller: Caller): KeyCaller {
  authorize(caller, 'model.call', theOrg);
  return keyOf(caller);
}

function keyOf(caller: Caller): KeyCaller {
  if (caller.kind !== 'key') throw new Error('only a key comes here');
  return caller;
}
