import { Problem } from '@gantry/contract/problems.ts';

/** Throws `index_unreachable` when the text of uv or pip says that the index did not answer; says nothing about anything else. */
export function refuseIndexFailure(output: string): void {
  const failed =
    /error sending request|tunnel error|dns error|Connection refused|Request failed after|Could not fetch URL|ProxyError|NewConnectionError|SSLError|invalid peer certificate|timed out/i.test(
      output,
    );
  if (!failed) return;
  const certificate = /certificate|SSLError/i.test(output);
  throw new Problem('index_unreachable', {
    detail: certificate
      ? 'The package index shows a certificate that the build does not trust'
      : 'The package index did not answer',
    ...(certificate ? { hint: 'Set BUILD_CA_FILE to a PEM file that holds its certificate authority.' } : {}),
    fields: { output: output.trim().slice(-4000) },
  });
}
