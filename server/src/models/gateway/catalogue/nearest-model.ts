import { nearest } from '@gantry/contract/nearest.ts';
import { hideCredential } from '../upstream/hide-credential.ts';
import type { Model, Upstream } from '../model.ts';
import type { GatewayParts } from '../parts.ts';
import { addressOf, credentialHeader } from '../upstream/upstream.ts';
import { isJson } from '../wires/wire.ts';

const list_ms = 5000;
const max_list_bytes = 4 * 1024 * 1024;
const max_shown = 5;

/** A sentence about an upstream that does not know the model, with the names that it knows. */
export async function nearestModel(gateway: GatewayParts, model: Model, upstream: Upstream): Promise<string> {
  const unknown = `It does not know ${model.upstream_model} (404).`;
  const names = await namesAt(gateway, model, upstream);
  if (names.length === 0) return `${unknown} Look at \`model\` and \`base_url\` of the config.`;
  const close = nearest(model.upstream_model, names);
  if (close !== undefined) return `${unknown} Did you mean ${close}?`;
  const more = names.length > max_shown ? `, and ${names.length - max_shown} more` : '';
  return `${unknown} It knows ${names.slice(0, max_shown).join(', ')}${more}.`;
}

/** None when it has no readable list. */
async function namesAt({ outbound }: GatewayParts, model: Model, upstream: Upstream): Promise<string[]> {
  try {
    const { body, statusCode } = await outbound.request(addressOf(upstream, '/models'), {
      method: 'GET',
      headers: {
        ...(model.kind === 'anthropic' && { 'anthropic-version': '2023-06-01' }),
        ...credentialHeader(model, upstream),
      },
      signal: AbortSignal.timeout(list_ms),
    });
    let read = '';
    for await (const chunk of body as AsyncIterable<Buffer>) {
      read += chunk.toString('latin1');
      if (read.length > max_list_bytes) break;
    }
    if (statusCode !== 200) return [];
    const said: unknown = JSON.parse(hideCredential(read, upstream.credential));
    // Gemini lists `models/<name>` as names.
    const listed: unknown = isJson(said) ? (said['data'] ?? said['models']) : undefined;
    const entries: unknown[] = Array.isArray(listed) ? listed : [];
    return entries.flatMap((one) => {
      const name = isJson(one) ? (one['id'] ?? one['name']) : undefined;
      return typeof name === 'string' && /^[\w./:@+-]{1,200}$/.test(name) ? [name.replace(/^models\//, '')] : [];
    });
  } catch {
    return []; // the test has already failed; this list only helps
  }
}
