import { expect, test } from 'vitest';
import { sbom } from './sbom.ts';

const lock = `annotated-types==0.8.0 \\
    --hash=sha256:aa \\
    --hash=sha256:bb
uvicorn[standard]==0.54.0+local ; python_version > '3' \\
    --hash=sha256:cc
`;

test('the bill of materials lists every locked package with its version', () => {
  expect(sbom({ agent: 'greeter', version: '1.0.0', lock, created_at: '2026-01-01T00:00:00Z' })).toMatchObject({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    metadata: { component: { name: 'greeter', version: '1.0.0' } },
    components: [
      { purl: 'pkg:pypi/annotated-types@0.8.0', properties: [{ value: 'sha256:aa' }, { value: 'sha256:bb' }] },
      { purl: 'pkg:pypi/uvicorn@0.54.0%2Blocal', version: '0.54.0+local' },
    ],
  });
});
