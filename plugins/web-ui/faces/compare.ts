// Runs side by side: their numbers, and what differs among them.
import { Failure } from '#ports/failure';
import { pathOf, readList, withQuery } from '../pure/address.js';
import { namedRuns } from '../pure/compared.js';
import {
  cellOf,
  cutOf,
  plainColumns,
  sheetOf,
  type Sheet,
  type SheetTable,
} from '../pure/sheet.js';
import type { Faced } from './asking.js';
import { chartsCutOf, chartsOf } from './charts.js';
import { findProject, type Place } from './projects.js';
import type { KnownColumn } from './runs.js';

const mostCompared = 50;
const mostMetrics = 60;

interface Page {
  readonly keys: readonly string[];
  readonly columns: readonly { readonly values: readonly unknown[] }[];
}
interface Differences {
  readonly sections: readonly {
    readonly section: string;
    readonly equal: number;
    readonly differing: number;
    readonly differences: readonly {
      readonly name: string;
      readonly values: readonly (string | null)[];
    }[];
  }[];
}

const readRuns = (search: URLSearchParams): readonly string[] => {
  const runs = [...new Set(readList(search.get('runs')))];
  if (runs.length < 2 || runs.length > mostCompared)
    throw new Failure(
      'invalid',
      `runs must name from 2 to ${mostCompared} runs, with commas between`,
    );
  return runs;
};

/** The last values of the metrics of each run, wherever it is: archived runs stand on a page of their own. */
const readNumbers = async (
  { ask }: Faced,
  project: string,
  runs: readonly string[],
  metrics: readonly string[],
) => {
  const body = {
    project,
    query: namedRuns(runs),
    columns: [
      { kind: 'metadata', name: 'name' },
      ...metrics.map((name) => ({ kind: 'metric', name, value: 'last' })),
    ],
    limit: runs.length,
  };
  const pages = [
    await ask<Page>('queryRuns', { body }),
    await ask<Page>('queryRuns', { body: { ...body, archived: true } }),
  ];
  const lost = runs.find((run) => !pages.some(({ keys }) => keys.includes(run)));
  if (lost !== undefined)
    throw new Failure('absent', `there is no run ${lost.slice(0, 100)} in this project`);
  return (column: number, run: string): unknown => {
    const page = pages.find(({ keys }) => keys.includes(run));
    return page?.columns[column]?.values[page.keys.indexOf(run)];
  };
};

export const compareSheet = async (faced: Faced, at: Place): Promise<Sheet> => {
  const { ask, search } = faced;
  const runs = readRuns(search);
  const project = await findProject(ask, at);
  const { columns: known } = await ask<{ readonly columns: readonly KnownColumn[] }>(
    'listRunColumns',
    { query: { project } },
  );
  const metrics = known.filter(({ kind }) => kind === 'metric').map(({ name }) => name);
  const own = metrics.filter((name) => !name.startsWith('sys.'));
  const asked = own.slice(0, mostMetrics);
  const cut = cutOf(asked.length, own.length);
  const valueOf = await readNumbers(faced, project, runs, asked);
  const { sections } = await ask<Differences>('compareRuns', { body: { runs } });
  const nameOf = (run: string) => String(valueOf(0, run) ?? run);
  const names = runs.map(nameOf);
  const numbers: SheetTable = {
    title: 'Metrics, last value',
    columns: plainColumns('metric', ...names),
    rows: asked
      .map((name, column) => [name, ...runs.map((run) => cellOf(valueOf(column + 1, run)))])
      .filter(([, ...values]) => values.some((one) => one !== null)),
  };
  const differing = sections.filter(({ differences }) => differences.length > 0);
  const charts = await chartsOf(faced, { runs, metrics, nameOf });
  return sheetOf({
    title: `${runs.length} runs of ${at.project}`,
    path: pathOf('w', at.workspace, 'p', at.project, 'compare') + withQuery(search.toString(), {}),
    cut: cut === undefined ? undefined : `${cut} metrics`,
    says: [
      ...(cut === undefined ? [] : [`The ${cut} metrics.`]),
      `${differing.reduce((sum, one) => sum + one.differing, 0)} names differ, ${sections.reduce((sum, one) => sum + one.equal, 0)} are equal.`,
    ],
    tables: [
      numbers,
      ...differing.map(({ section, differences }) => ({
        title: `Differing: ${section}`,
        columns: plainColumns('name', ...names),
        rows: differences.map(({ name, values }) => [name, ...values]),
      })),
    ],
    charts,
    chartsCut: chartsCutOf(faced, metrics),
    data: {
      workspace: at.workspace,
      project: at.project,
      runs: runs.map((key) => ({
        key,
        name: valueOf(0, key) ?? null,
        metrics: Object.fromEntries(
          asked.map((name, column) => [name, valueOf(column + 1, key) ?? null]),
        ),
      })),
      sections,
    },
  });
};
