import { normaliseName } from '@gantry/project/requirements.ts';
import { parseLock } from '../../../assets/workshop/resolve/lock.ts';
import type { InstalledPackage } from '../../../assets/images/installed.ts';

export interface SbomInput {
  agent: string;
  version: string;
  /** The packages in the image. */
  installed: InstalledPackage[];
  /** The source of the hashes. */
  lock: string;
  /** UTC, ISO 8601. */
  created_at: string;
}

/** The installed packages as a CycloneDX 1.6 bill of materials. */
export function sbom({ agent, version, installed, lock, created_at }: SbomInput): object {
  const hashes = new Map(parseLock(lock).map((one) => [`${normaliseName(one.name)}@${one.version}`, one.hashes]));
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      timestamp: created_at,
      component: { type: 'application', 'bom-ref': `agents/${agent}@${version}`, name: agent, version },
    },
    components: installed.map(({ name, version: there }) => {
      const purl = `pkg:pypi/${name}@${encodeURIComponent(there)}`;
      return {
        type: 'library',
        'bom-ref': purl,
        name,
        version: there,
        purl,
        properties: (hashes.get(`${name}@${there}`) ?? []).map((hash) => ({ name: 'gantry:index-file', value: hash })),
      };
    }),
  };
}
