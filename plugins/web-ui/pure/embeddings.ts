// Vectors that a run logged to be looked at as points, with what is said of each. Pure.
import { readCells, readJson } from './media.js';

/** Which of many small pictures in one belongs to a point: they lie in rows, as many in a row as there are rows. */
export interface Sprite {
  readonly id: string;
  readonly width: number;
  readonly height: number;
  readonly columns: number;
}
export interface Embedding {
  readonly title: string;
  /** Ids of the files that hold the vectors and what is said of them. */
  readonly tensor: string;
  readonly labels: string | undefined;
  readonly sprite: Sprite | undefined;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The file that an address names on the server that it was logged to. */
const idIn = (path: unknown): string | undefined => {
  const found =
    typeof path === 'string' ? /[?&](?:asset|image)Id=([^&]+)/.exec(path)?.[1] : undefined;
  try {
    return found === undefined ? undefined : decodeURIComponent(found);
  } catch {
    return undefined;
  }
};

const spriteOf = (of: Readonly<Record<string, unknown>>): Sprite | undefined => {
  const sprite = of['sprite'];
  if (!isRecord(sprite)) return undefined;
  const id = idIn(sprite['imagePath']);
  const [width = 0, height = 0] = list(sprite['singleImageDim']).map(Number);
  const columns = Math.ceil(Math.sqrt(Number(list(of['tensorShape'])[0])));
  return id !== undefined && width > 0 && height > 0 && columns > 0
    ? { id, width, height, columns }
    : undefined;
};

/** Whether a file is a part of an embedding by the name that the Python client gives it: vectors, what is said of them, small pictures. */
export const isEmbeddingPart = (name: string): boolean =>
  /^(?:(?:vectors|metadata)-\d+\.tsv|embedding-image-\d+\.png)$/.test(name);

/** The embeddings of one file: several that were logged as a group. */
export const readEmbeddings = (text: string): readonly Embedding[] =>
  list(readJson(text)?.['embeddings'])
    .filter(isRecord)
    .flatMap((of, at) => {
      const tensor = idIn(of['tensorPath']);
      const title = of['tensorName'];
      return tensor === undefined
        ? []
        : [
            {
              title: typeof title === 'string' ? title : `embedding ${at + 1}`,
              tensor,
              labels: idIn(of['metadataPath']),
              sprite: spriteOf(of),
            },
          ];
    });

export interface LabelColumn {
  readonly name: string;
  readonly values: readonly string[];
}

/** What is said of each point: one column without a head, or several with one. */
export const readLabels = (text: string, most: number): readonly LabelColumn[] => {
  const rows = readCells(text, '\t', most + 1);
  const head = rows[0] ?? [];
  if (head.length <= 1)
    return rows.length === 0
      ? []
      : [{ name: 'label', values: rows.slice(0, most).map(([one = '']) => one) }];
  const body = rows.slice(1);
  return head.map((name, at) => ({ name, values: body.map((row) => row[at] ?? '') }));
};

/** With more labels than these, colours would not tell them apart. */
export const mostLabels = 12;

const distinct = ({ values }: LabelColumn): number => new Set(values).size;

/** The column that points are coloured by unless another is chosen: the one that is called label, else the first with few values. */
export const usualColumn = (columns: readonly LabelColumn[]): LabelColumn | undefined =>
  columns.find(({ name }) => /^(label|class|target)s?$/i.test(name)) ??
  columns.find((one) => distinct(one) <= mostLabels) ??
  columns[0];

/** How a column is shown: a colour for each of few values, a scale of numbers, or no colour. */
export type Inks =
  | { readonly kind: 'values'; readonly names: readonly string[] }
  | { readonly kind: 'scale'; readonly low: number; readonly high: number }
  | { readonly kind: 'none' };

export const inksOf = (column: LabelColumn | undefined): Inks => {
  if (column === undefined || column.values.length === 0) return { kind: 'none' };
  const names = [...new Set(column.values)];
  if (names.length <= mostLabels) return { kind: 'values', names };
  const numbers = column.values.map((one) => (one.trim() === '' ? Number.NaN : Number(one)));
  if (!numbers.every(Number.isFinite)) return { kind: 'none' };
  return {
    kind: 'scale',
    low: numbers.reduce((low, one) => Math.min(low, one)),
    high: numbers.reduce((high, one) => Math.max(high, one)),
  };
};
