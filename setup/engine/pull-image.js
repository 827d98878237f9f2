// @ts-check
import { createInterface } from 'node:readline';
import { callEngine, readText } from './engine-api.js';

/** How long a registry may take for its first answer about the image, and how long a running pull may pause. */
const patience = { first_sign_seconds: 15, standstill_seconds: 60 };

/**
 * Pulls an image. A failure is a return value, not an error: the caller may have another way.
 *
 * @param {string} dockerHost
 * @param {string} reference
 * @param {(doing: string) => void} say
 * @param {{ first_sign_seconds: number, standstill_seconds: number }} limits
 * @returns {Promise<{ reason?: string }>} why it could not be pulled; nothing when it was
 */
export async function pullImage(dockerHost, reference, say, { first_sign_seconds, standstill_seconds } = patience) {
  const path = `/images/create?fromImage=${encodeURIComponent(reference)}`;
  try {
    // The engine sends the head of its reply with the first progress line, or with the registry's refusal.
    const reply = await callEngine(dockerHost, { method: 'POST', path, timeout_seconds: first_sign_seconds });
    if (reply.statusCode !== 200) return { reason: messageIn(await readText(reply)) };
    return await followPull(reply, { reference, say, standstill_seconds });
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * @param {import('node:http').IncomingMessage} reply
 * @param {{ reference: string, say: (doing: string) => void, standstill_seconds: number }} order
 * @returns {Promise<{ reason?: string }>}
 */
async function followPull(reply, { reference, say, standstill_seconds }) {
  reply.setTimeout(standstill_seconds * 1000, () => {
    reply.destroy(new Error(`the pull stood still for ${standstill_seconds} s`));
  });
  let failed = '';
  for await (const line of createInterface({ input: reply })) {
    const { status, error } = parseProgress(line);
    if (error) failed = error;
    if (status) say(`pulling ${reference}: ${status}`);
  }
  if (reply.errored) failed = reply.errored.message;
  return failed === '' ? {} : { reason: failed };
}

/**
 * @param {string} line one line of the engine's progress
 * @returns {{ status?: string, error?: string }}
 */
function parseProgress(line) {
  /** @type {unknown} */
  const message = JSON.parse(line);
  return /** @type {{ status?: string, error?: string }} */ (message); // the engine's documented format
}

/** @param {string} text a refusal of the engine: `{"message": "…"}` */
function messageIn(text) {
  /** @type {unknown} */
  const refusal = JSON.parse(text);
  return /** @type {{ message?: string }} */ (refusal).message ?? text; // the engine's documented format
}
