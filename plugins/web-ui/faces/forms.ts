// A sheet in the form that was asked for, as bytes.
import type { Download } from '#ports/bytes';
import { faceTypes, type FaceEnding } from '#ports/api/faces';
import { Failure, isFailure } from '#ports/failure';
import type { Images } from '#ports/images';
import { once } from '../bytes.js';
import type { Axis } from '../pure/axis.js';
import { csvLine } from '../pure/format.js';
import { curvesHead, curvesLines } from '../pure/panel-drawing.js';
import { tableCsv, type Sheet, type SheetTable } from '../pure/sheet.js';
import { mostInPicture, pictureOf } from '../pure/sheet-picture.js';
import { markdownText, terminalText } from '../pure/sheet-text.js';

/** What a page has for its other forms. */
export interface Face {
  readonly sheet: Sheet;
  /** What its CSV is, where that is not its first table. */
  readonly whole?: SheetTable;
}

export interface FormAsked {
  readonly form: FaceEnding;
  /** Whether it is about the charts, and not the table. */
  readonly ofCharts: boolean;
  readonly dark: boolean;
  readonly axis: Axis;
}

/** Charts of text, of Markdown and of the rest. */
const [inText, inMarkdown] = [1, 4];

/** How many charts a form shows at most; curves that nobody sees are not read. */
export const chartsShown = (form: FaceEnding, of: 'table' | 'charts' | undefined): number => {
  if (of === 'charts') return mostInPicture.charts;
  if (of === 'table') return 0;
  return form === 'svg' || form === 'png'
    ? mostInPicture.charts
    : form === 'txt'
      ? inText
      : form === 'md'
        ? inMarkdown
        : 0;
};

const curvesCsv = ({ charts }: Sheet, axis: Axis): string =>
  [
    `${csvLine(curvesHead(axis))}\n`,
    ...charts.flatMap(({ title, drawing }) => curvesLines(title, drawing)),
  ].join('');

/** Numbers that JSON has no sign for are null in it. */
const curvesData = ({ charts }: Sheet) => ({
  charts: charts.map(({ title, says, drawing: { x, lines } }) => ({
    metric: title,
    says,
    x,
    lines: lines.map(({ key, name, y, low, high }) => ({
      key,
      name,
      y,
      low: low ?? null,
      high: high ?? null,
    })),
  })),
});

const png = async (images: Images, svg: string): Promise<Uint8Array> => {
  try {
    return (await images.draw(svg)).bytes;
  } catch (thrown) {
    if (!isFailure(thrown) || thrown.kind !== 'unsupported') throw thrown;
    throw new Failure('unsupported', `${thrown.message}, so it draws SVG and not PNG`, {
      reason: 'notInstalled',
      cause: thrown,
    });
  }
};

const contentOf = async (
  images: Images,
  { sheet, whole }: Face,
  { form, ofCharts, dark, axis }: FormAsked,
): Promise<string | Uint8Array> => {
  switch (form) {
    case 'json':
      return `${JSON.stringify(ofCharts ? curvesData(sheet) : sheet.data)}\n`;
    case 'csv':
      if (ofCharts) return curvesCsv(sheet, axis);
      return tableCsv(whole ?? sheet.tables[0] ?? { title: '', columns: [], rows: [] });
    case 'svg':
      return pictureOf(sheet, dark);
    case 'png':
      return png(images, pictureOf(sheet, dark));
    case 'md':
      return markdownText(ofCharts ? { ...sheet, tables: [] } : sheet);
    case 'txt':
      return terminalText(ofCharts ? { ...sheet, tables: [] } : sheet);
  }
};

export const faceBytes = async (
  images: Images,
  face: Face,
  asked: FormAsked,
): Promise<Download> => {
  const content = await contentOf(images, face, asked);
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return {
    byAccept: true,
    type: faceTypes[asked.form],
    fileName: `${face.sheet.title}.${asked.form}`,
    size: bytes.length,
    open: (range) => once(range === undefined ? bytes : bytes.subarray(range.start, range.end + 1)),
  };
};
