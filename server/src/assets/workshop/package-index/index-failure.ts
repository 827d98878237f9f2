import { Problem } from '@gantry/contract/problems.ts';

/** Throws `index_unreachable` when uv's or pip's text reports an unreachable index. Ignores every other failure. */
export function refuseIndexFailure(output: string): void {
  const failed =
    /error sending request|tunnel error|dns error|Connection refused|Request failed after|Could not fetch URL|ProxyError|NewConnectionError|SSLError|invalid peer certificate|timed out/i.test(
      output,
    );
  if (!failed) return;
  const certificate = /certificate|SSLError/i.test(output);
  throw new Problem('index_unreachable', {
    detail: certificate
      ? 'The build does not trust the certificate of the package index'
      : 'The package index did not answer',
    ...(certificate ? { hint: 'Set BUILD_CA_FILE to a PEM file with its certificate authority.' } : {}),
    fields: { output: output.trim().slice(-4000) },
  });
}
