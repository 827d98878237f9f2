// @ts-check
import { request } from 'node:http';

/**
 * One request to the container engine's HTTP API. The deadline covers the wait for the reply's head; the reader of a long body sets its own.
 *
 * @param {string} dockerHost `unix:///…` or `tcp://host:port`
 * @param {{ method: string, path: string, timeout_seconds: number, body?: NodeJS.ReadableStream }} order
 * @returns {Promise<import('node:http').IncomingMessage>}
 */
export function callEngine(dockerHost, { method, path, timeout_seconds, body }) {
  return new Promise((resolve, reject) => {
    // A connection of its own for each call: a kept one dies unseen when the engine restarts.
    const outgoing = request({ ...engineAddress(dockerHost), method, path, agent: false }, (reply) => {
      clearTimeout(deadline);
      resolve(reply);
    });
    const deadline = setTimeout(
      () => outgoing.destroy(new Error(`the engine gave no answer to ${path} in ${timeout_seconds} s`)),
      timeout_seconds * 1000,
    );
    outgoing.on('error', (error) => {
      clearTimeout(deadline);
      reject(error);
    });
    if (body) body.on('error', (/** @type {Error} */ error) => outgoing.destroy(error)).pipe(outgoing);
    else outgoing.end();
  });
}

/**
 * Reads a reply to its end.
 *
 * @param {import('node:http').IncomingMessage} reply
 */
export async function readText(reply) {
  let text = '';
  for await (const chunk of reply.setEncoding('utf8')) text += String(chunk);
  return text;
}

/**
 * @param {string} dockerHost
 * @returns {{ socketPath: string } | { host: string, port: number }}
 */
export function engineAddress(dockerHost) {
  const url = new URL(dockerHost);
  if (url.protocol === 'unix:') return { socketPath: url.pathname };
  if (url.protocol !== 'tcp:') throw new Error('only unix:// and tcp:// addresses are understood');
  return { host: url.hostname, port: Number(url.port || 2375) };
}
