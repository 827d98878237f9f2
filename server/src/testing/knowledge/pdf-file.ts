/** The first object is the catalogue (ISO 32000-1, 7.5). `trailer`: more entries of it. */
function packPdf(objects: string[], trailer = ''): Buffer {
  const parts = ['%PDF-1.7\n'];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  for (const [at, object] of objects.entries()) {
    const part = `${at + 1} 0 obj\n${object}\nendobj\n`;
    offsets.push(length);
    parts.push(part);
    length += part.length;
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  parts.push(
    `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`,
    `trailer << /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${length}\n%%EOF\n`,
  );
  return Buffer.from(parts.join(''), 'latin1');
}

const stream = (content: string, entries = ''): string =>
  `<< /Length ${content.length} ${entries} >>\nstream\n${content}\nendstream`;
const shown = (line: string): string => (line === '' ? '' : `BT /F1 12 Tf 72 720 Td (${line}) Tj ET`);
const font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';

/** A line on each page. Pages after the last line repeat it. */
export function pdf(
  lines: string[],
  { pages = lines.length, locked = false }: { pages?: number; locked?: boolean } = {},
): Buffer {
  const first_page = 6 + lines.length;
  const numbers = Array.from({ length: pages }, (_, at) => at);
  const kids = numbers.map((at) => `${first_page + at} 0 R`).join(' ');
  const zeros = '0'.repeat(64);
  return packPdf(
    [
      '<< /Type /Catalog /Pages 2 0 R >>',
      `<< /Type /Pages /Count ${pages} /Kids [${kids}] >>`,
      font,
      '<< /Title (A PDF) >>',
      // No password fits.
      `<< /Filter /Standard /V 1 /R 2 /P -4 /O <${zeros}> /U <${zeros}> >>`,
      ...lines.map((line) => stream(shown(line))),
      ...numbers.map(
        (at) =>
          `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${6 + Math.min(at, lines.length - 1)} 0 R >>`,
      ),
    ],
    `/Info 4 0 R ${locked ? `/Encrypt 5 0 R /ID [<${zeros}> <${zeros}>]` : ''}`,
  );
}
