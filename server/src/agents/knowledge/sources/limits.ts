import { most_upload_bytes } from '@gantry/contract/agents/knowledge-uploads.ts';

const mb = 1024 * 1024;

export const most_file_bytes = most_upload_bytes;
export const most_source_bytes = 2048 * mb;

export const tooLargeFile = `it has more than ${most_file_bytes / mb} MB`;
export const tooLargeSource = `its source has more than ${most_source_bytes / mb / 1024} GB`;
