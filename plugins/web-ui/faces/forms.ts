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
import { reportHtml, reportOf, type ReportParts } from '../pure/report.js';
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
  /** By which name the server was asked, and when. */
  readonly host: string | readonly string[] | undefined;
  readonly now: number;
}

/** Charts of text, of Markdown and of a report. */
const [inText, inMarkdown, inReport] = [1, 4, 24];

/** How many charts a form shows at most; curves that nobody sees are not read. */
export const chartsShown = (form: FaceEnding, of: 'table' | 'charts' | undefined): number => {
  if (form === 'report') return inReport;
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
  { images, report }: FormNeeds,
  { sheet, whole }: Face,
  { form, ofCharts, dark, axis, host, now }: FormAsked,
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
    case 'report':
      return reportHtml(
        reportOf(sheet, {
          address: `${typeof host === 'string' ? host : ''}${sheet.path}`,
          madeAt: now,
        }),
        report(),
      );
    case 'txt':
      return terminalText(ofCharts ? { ...sheet, tables: [] } : sheet);
  }
};

export interface FormNeeds {
  readonly images: Images;
  /** What a report brings along. */
  readonly report: () => ReportParts;
}

/** Words for what a form has not all of, for the name of its file. */
const cutIn = ({ charts, cut, chartsCut }: Sheet, { form, ofCharts }: FormAsked): string => {
  const drawn = ofCharts || ((form === 'svg' || form === 'png') && charts.length > 0);
  const words = [
    ...(drawn || cut === undefined ? [] : [cut]),
    ...((drawn || form === 'report') && chartsCut !== undefined ? [`${chartsCut} charts`] : []),
  ];
  return words.length === 0 ? '' : ` (${words.join(', ')})`;
};

export const faceBytes = async (
  needs: FormNeeds,
  face: Face,
  asked: FormAsked,
): Promise<Download> => {
  const content = await contentOf(needs, face, asked);
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return {
    byAccept: true,
    type: faceTypes[asked.form],
    fileName: `${face.sheet.title}${cutIn(face.sheet, asked)}.${asked.form === 'report' ? 'html' : asked.form}`,
    ...(asked.form === 'report' ? { attached: true as const } : {}),
    size: bytes.length,
    open: (range) => once(range === undefined ? bytes : bytes.subarray(range.start, range.end + 1)),
  };
};
