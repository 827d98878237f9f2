import type { Database } from '../../ground/database/database.ts';
import type { CheckpointFile } from './checkpoints/checkpoint-file.ts';
import type { CheckpointKey } from './key.ts';

export interface ProofParts {
  db: Database;
  key: CheckpointKey;
  /** The prefix of chain names outside: `gantry/<installation>`. */
  log_name: string;
  /** In the data directory. It is no anchor, because it is beside the key. */
  own_file: CheckpointFile;
  /** AUDIT_ANCHOR_FILE: on another volume, out of reach of the database's administrators. */
  outside_file: CheckpointFile | undefined;
}

export const filesOf = ({ own_file, outside_file }: ProofParts): CheckpointFile[] =>
  outside_file === undefined ? [own_file] : [own_file, outside_file];
