import { parseLock } from '../../engine/lock.ts';

export interface SbomInput {
  agent: string;
  version: string;
  lock: string;
  /** UTC, ISO 8601. */
  created_at: string;
}

/** The lock as a CycloneDX 1.6 bill of materials: it is installed with hashes and without further dependencies, so it is complete. */
export function sbom({ agent, version, lock, created_at }: SbomInput): object {
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      timestamp: created_at,
      component: { type: 'application', 'bom-ref': `agents/${agent}@${version}`, name: agent, version },
    },
    components: parseLock(lock).map(({ name, version: locked, hashes }) => {
      const purl = `pkg:pypi/${name.toLowerCase().replaceAll(/[-_.]+/g, '-')}@${encodeURIComponent(locked)}`;
      return {
        type: 'library',
        'bom-ref': purl,
        name,
        version: locked,
        purl,
        properties: hashes.map((hash) => ({ name: 'gantry:index-file', value: hash })),
      };
    }),
  };
}
