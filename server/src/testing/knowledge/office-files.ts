// Small files of Office (ECMA-376), with no more parts than programs that read them need.
import { packZip } from '../servers/pack-zip.ts';

const open_xml = 'http://schemas.openxmlformats.org';
const relation = `${open_xml}/officeDocument/2006/relationships`;
const office = 'application/vnd.openxmlformats-officedocument';

interface Part {
  path: string;
  /** Its content type, after the usual prefix. */
  type: string;
  xml: string;
  /** The parts that it refers to, `rId1` first. */
  to?: { kind: string; target: string }[];
}

interface Packing {
  compress?: boolean;
  /** Parts without a type, such as macros. */
  more?: Record<string, string | Buffer>;
}

/** The first part is the main one. */
function packOffice(parts: Part[], { compress = false, more = {} }: Packing): Buffer {
  const files: Record<string, string | Buffer> = {
    '[Content_Types].xml': `<Types xmlns="${open_xml}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="bin" ContentType="application/vnd.ms-office.vbaProject"/>${parts
      .map(({ path, type }) => `<Override PartName="/${path}" ContentType="${office}.${type}+xml"/>`)
      .join('')}</Types>`,
    '_rels/.rels': relations([{ kind: 'officeDocument', target: parts[0]?.path ?? '' }]),
  };
  for (const { path, xml, to } of parts) {
    files[path] = xml;
    if (to !== undefined) files[path.replace(/([^/]+)$/, '_rels/$1.rels')] = relations(to);
  }
  return packZip({ ...files, ...more }, { compress });
}

function relations(all: { kind: string; target: string }[]): string {
  const rows = all.map(
    ({ kind, target }, at) => `<Relationship Id="rId${at + 1}" Type="${relation}/${kind}" Target="${target}"/>`,
  );
  return `<Relationships xmlns="${open_xml}/package/2006/relationships">${rows.join('')}</Relationships>`;
}

/** `paragraphs`: a style, or '' for none, and the text as XML. `doctype` stands before the document. */
export function docx(
  paragraphs: [style: string, text: string][],
  { doctype = '', ...packing }: Packing & { doctype?: string } = {},
): Buffer {
  const main = `${open_xml}/wordprocessingml/2006/main`;
  const body = paragraphs.map(
    ([style, text]) =>
      `<w:p>${style === '' ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t>${text}</w:t></w:r></w:p>`,
  );
  return packOffice(
    [
      {
        path: 'word/document.xml',
        type: 'wordprocessingml.document.main',
        xml: `${doctype}<w:document xmlns:w="${main}"><w:body>${body.join('')}</w:body></w:document>`,
        to: [{ kind: 'styles', target: 'styles.xml' }],
      },
      {
        path: 'word/styles.xml',
        type: 'wordprocessingml.styles',
        xml: `<w:styles xmlns:w="${main}"><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>`,
      },
    ],
    packing,
  );
}

/** `cells`: the XML of each cell, by row. */
export function xlsx(rows: string[][], packing: Packing = {}): Buffer {
  const main = `${open_xml}/spreadsheetml/2006/main`;
  const data = rows.map((cells) => `<row>${cells.join('')}</row>`).join('');
  return packOffice(
    [
      {
        path: 'xl/workbook.xml',
        type: 'spreadsheetml.sheet.main',
        xml: `<workbook xmlns="${main}" xmlns:r="${relation}"><sheets><sheet name="Costs" sheetId="1" r:id="rId1"/></sheets></workbook>`,
        to: [{ kind: 'worksheet', target: 'worksheets/sheet1.xml' }],
      },
      {
        path: 'xl/worksheets/sheet1.xml',
        type: 'spreadsheetml.worksheet',
        xml: `<worksheet xmlns="${main}"><sheetData>${data}</sheetData></worksheet>`,
      },
    ],
    packing,
  );
}

/** A presentation of one slide. */
export function pptx(title: string, text: string): Buffer {
  const names = `xmlns:a="${open_xml}/drawingml/2006/main" xmlns:r="${relation}" xmlns:p="${open_xml}/presentationml/2006/main"`;
  const shape = (id: number, words: string, place: string) =>
    `<p:sp><p:nvSpPr><p:cNvPr id="${id}" name="x"/><p:cNvSpPr/><p:nvPr>${place}</p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:p><a:r><a:t>${words}</a:t></a:r></a:p></p:txBody></p:sp>`;
  return packOffice(
    [
      {
        path: 'ppt/presentation.xml',
        type: 'presentationml.presentation.main',
        xml: `<p:presentation ${names}><p:sldIdLst><p:sldId id="256" r:id="rId1"/></p:sldIdLst></p:presentation>`,
        to: [{ kind: 'slide', target: 'slides/slide1.xml' }],
      },
      {
        path: 'ppt/slides/slide1.xml',
        type: 'presentationml.slide',
        xml: `<p:sld ${names}><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>${shape(2, title, '<p:ph type="title"/>')}<p:grpSp><p:nvGrpSpPr><p:cNvPr id="4" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>${shape(3, text, '')}</p:grpSp></p:spTree></p:cSld></p:sld>`,
      },
    ],
    {},
  );
}
