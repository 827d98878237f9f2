import { expect, test } from 'vitest';
import { sbom } from './sbom.ts';

const [a, b, c] = ['a', 'b', 'c'].map((digit) => `sha256:${digit.repeat(64)}`);
const lock = `annotated-types==0.8.0 \\
    --hash=${a} \\
    --hash=${b}
colorama==0.4.6 ; sys_platform == 'win32' \\
    --hash=${c}
uvicorn==0.54.0+local \\
    --hash=${c}
`;
const installed = [
  { name: 'annotated-types', version: '0.8.0' },
  { name: 'uvicorn', version: '0.54.0+local' },
];

test('the bill of materials lists exactly the installed packages with their versions', () => {
  expect(
    sbom({ agent: 'greeter', version: '1.0.0', installed, lock, created_at: '2026-01-01T00:00:00Z' }),
  ).toMatchObject({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    metadata: { component: { name: 'greeter', version: '1.0.0' } },
    components: [
      { purl: 'pkg:pypi/annotated-types@0.8.0', properties: [{ value: a }, { value: b }] },
      { purl: 'pkg:pypi/uvicorn@0.54.0%2Blocal', version: '0.54.0+local' },
    ],
  });
});
