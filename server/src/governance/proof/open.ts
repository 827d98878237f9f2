import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../ground/config/config.ts';
import type { Database } from '../../ground/database/database.ts';
import { checkpointFile } from './checkpoints/checkpoint-file.ts';
import { checkpointKey } from './key.ts';
import type { ProofParts } from './parts.ts';

export async function openProof(
  { data_dir, audit }: Config,
  db: Database,
  installation_id: string,
): Promise<ProofParts> {
  const own = join(data_dir, 'audit');
  await mkdir(own, { recursive: true, mode: 0o700 });
  return {
    db,
    key: await checkpointKey(audit.key_file),
    log_name: `gantry/${installation_id}`,
    own_file: checkpointFile(join(own, 'checkpoints')),
    outside_file: audit.anchor_file === undefined ? undefined : checkpointFile(audit.anchor_file),
  };
}
