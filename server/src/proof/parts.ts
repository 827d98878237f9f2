import type { Database } from '../database/database.ts';
import type { CheckpointFile } from './checkpoints/checkpoint-file.ts';
import type { CheckpointKey } from './key.ts';

export interface ProofParts {
  db: Database;
  key: CheckpointKey;
  /** What chains are called outside: `gantry/<installation>`. */
  log_name: string;
  /** In the data directory; never what a log is anchored by, since it lies beside the key. */
  own_file: CheckpointFile;
  /** AUDIT_ANCHOR_FILE: on another volume, out of reach of who keeps the database. */
  outside_file: CheckpointFile | undefined;
}

export const filesOf = ({ own_file, outside_file }: ProofParts): CheckpointFile[] =>
  outside_file === undefined ? [own_file] : [own_file, outside_file];
