// One run: facts, numbers, parameters and curves.
import { Failure } from '#ports/failure';
import { pathOf } from '../pure/address.js';
import { formatSpan } from '../pure/format.js';
import {
  formatInstant,
  plainColumns,
  sheetOf,
  type Sheet,
  type SheetTable,
} from '../pure/sheet.js';
import type { Ask, Faced } from './asking.js';
import { chartsCutOf, chartsOf } from './charts.js';
import type { Place } from './projects.js';

interface Metadata {
  readonly experimentName: string | null;
  readonly projectName: string;
  readonly workspaceName: string;
  readonly userName: string;
  readonly running: boolean;
  readonly hasCrashed: boolean;
  readonly archived: boolean;
  readonly startTimeMillis: number;
  readonly endTimeMillis: number;
  readonly durationMillis: number;
  readonly error: string | null;
}
interface Summary {
  readonly values: readonly {
    readonly name: string;
    readonly valueCurrent: string;
    readonly valueMin: string;
    readonly valueMax: string;
  }[];
}

/** A text that is a number as a number: values come as they were logged. */
const numbered = (text: string): number | string => {
  const number = Number(text);
  return text.trim() !== '' && Number.isFinite(number) ? number : text;
};

const byName = (one: { readonly name: string }, other: { readonly name: string }): number =>
  one.name < other.name ? -1 : 1;

const factsOf = (of: Metadata, key: string, tags: readonly string[]): Sheet['facts'] => [
  ['state', of.hasCrashed ? 'crashed' : of.running ? 'running' : 'finished'],
  ['key', key],
  ['by', of.userName],
  ['start', formatInstant(of.startTimeMillis)],
  ['duration', formatSpan(of.durationMillis)],
  ...(tags.length === 0 ? [] : [['tags', tags.join(', ')] as const]),
  ...(of.archived ? [['archived', 'yes'] as const] : []),
  ...(of.error === null ? [] : [['error', of.error] as const]),
];

const metricTable = (metrics: Summary): SheetTable => ({
  title: 'Metrics',
  columns: plainColumns('metric', 'last', 'smallest', 'largest'),
  rows: [...metrics.values]
    .sort(byName)
    .map(({ name, valueCurrent, valueMin, valueMax }) => [
      name,
      numbered(valueCurrent),
      numbered(valueMin),
      numbered(valueMax),
    ]),
});
const valueTable = (title: string, { values }: Summary): SheetTable => ({
  title,
  columns: plainColumns('name', 'value'),
  rows: [...values].sort(byName).map(({ name, valueCurrent }) => [name, numbered(valueCurrent)]),
});

/** One table of all that has a name, for a file. */
const everything = (tables: readonly SheetTable[]): SheetTable => ({
  title: '',
  columns: plainColumns('kind', 'name', 'value', 'smallest', 'largest'),
  rows: tables.flatMap(({ title, rows }) =>
    rows.map(([name = null, value = null, low = null, high = null]) => [
      title.toLowerCase(),
      name,
      value,
      low,
      high,
    ]),
  ),
});

const readRun = async (ask: Ask, { workspace, project }: Place, key: string) => {
  const query = { experimentKey: key };
  const of = await ask<Metadata>('getMetadata', { query });
  if (of.workspaceName !== workspace || of.projectName !== project)
    throw new Failure('absent', `there is no run ${key.slice(0, 100)} in this project`);
  const [metrics, parameters, others, { tags }] = await Promise.all([
    ask<Summary>('getMetricsSummary', { query }),
    ask<Summary>('getParameters', { query }),
    ask<Summary>('getOthers', { query }),
    ask<{ readonly tags: readonly string[] }>('getTags', { query }),
  ]);
  return { of, metrics, parameters, others, tags };
};

/** The sheet of a run, and the one table in which its CSV has everything. */
export const runSheet = async (
  faced: Faced,
  at: Place,
  key: string,
): Promise<{ readonly sheet: Sheet; readonly whole: SheetTable }> => {
  const { of, metrics, parameters, others, tags } = await readRun(faced.ask, at, key);
  const name = of.experimentName ?? key;
  const tables = [
    metricTable(metrics),
    valueTable('Parameters', parameters),
    valueTable('Other values', others),
  ];
  const names = metrics.values.map((one) => one.name);
  const charts = await chartsOf(faced, {
    runs: [key],
    metrics: names,
    nameOf: () => name,
  });
  const named = (summary: Summary) =>
    Object.fromEntries(summary.values.map((one) => [one.name, numbered(one.valueCurrent)]));
  const sheet = sheetOf({
    title: name,
    path: pathOf('w', at.workspace, 'p', at.project, 'run', key),
    facts: factsOf(of, key, tags),
    tables,
    charts,
    chartsCut: chartsCutOf(faced, names),
    data: {
      key,
      ...of,
      tags,
      metrics: Object.fromEntries(
        metrics.values.map((one) => [
          one.name,
          {
            last: numbered(one.valueCurrent),
            min: numbered(one.valueMin),
            max: numbered(one.valueMax),
          },
        ]),
      ),
      parameters: named(parameters),
      others: named(others),
    },
  });
  return { sheet, whole: everything(tables) };
};
