import { canonicalJson } from '../../server/src/governance/audit/canonical-json.ts';
import type { Part } from './platform.ts';

/** What is in the image, as CycloneDX 1.6. It has no time, so the same image has the same bill. */
export function billOfMaterials({
  name,
  version,
  digest,
  parts,
}: {
  name: string;
  version: string;
  /** Of the manifest. */
  digest: string;
  parts: readonly Part[];
}): string {
  const components = [...new Map(parts.map((part) => [part.purl, part])).values()]
    .toSorted((a, b) => (a.purl < b.purl ? -1 : 1))
    .map(({ hash, ...part }) => ({ type: 'library', 'bom-ref': part.purl, ...part, hashes: [hash] }));
  return canonicalJson({
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'container',
        'bom-ref': name,
        name,
        version,
        hashes: [{ alg: 'SHA-256', content: digest.replace('sha256:', '') }],
      },
    },
    components,
  });
}
