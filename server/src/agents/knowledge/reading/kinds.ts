// What a file is, as its source says: its media type, or the end of its name where the source knows none. The reader finds out whether that is true.
import { typeOfName } from '@gantry/contract/agents/files/type-of-name.ts';
import { extname } from 'node:path';

/** `text` needs no program. The others are the readers in reader/_svc_reader/one_file.py. */
type Kind = 'text' | 'csv' | 'docx' | 'html' | 'mail' | 'pdf' | 'pptx' | 'xlsx';

const office = 'application/vnd.openxmlformats-officedocument';
const macros = 'macroenabled.12';

const types: Readonly<Record<string, Kind>> = {
  'text/markdown': 'text',
  'text/plain': 'text',
  'text/csv': 'csv',
  'text/tab-separated-values': 'csv',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'message/rfc822': 'mail',
  'application/pdf': 'pdf',
  [`${office}.wordprocessingml.document`]: 'docx',
  [`application/vnd.ms-word.document.${macros}`]: 'docx',
  [`${office}.presentationml.presentation`]: 'pptx',
  [`application/vnd.ms-powerpoint.presentation.${macros}`]: 'pptx',
  [`${office}.spreadsheetml.sheet`]: 'xlsx',
  [`application/vnd.ms-excel.sheet.${macros}`]: 'xlsx',
};

const more_endings: Readonly<Record<string, Kind>> = {
  '.markdown': 'text',
  '.xhtml': 'html',
  '.eml': 'mail',
  '.docm': 'docx',
  '.pptm': 'pptx',
  '.xlsm': 'xlsx',
};

/** What a source says that does not know. */
const unknown = new Set(['', 'application/octet-stream', 'binary/octet-stream', 'application/zip']);

export function kindOf({ path, media_type }: { path: string; media_type: string }): Kind | undefined {
  const type = (media_type.split(';', 1)[0] ?? '').trim().toLowerCase();
  return unknown.has(type) ? (types[typeOfName(path) ?? ''] ?? more_endings[extname(path).toLowerCase()]) : types[type];
}
