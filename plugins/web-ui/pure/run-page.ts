// What the page of the runs of a project asks for first, worked out of its address. Pure: the server sends the replies along with the page.
import { readList } from './address.js';
import { drawnColumns, readAxis, seriesBody } from './axis.js';
import { differs, placeOfColumn, readColumn, sameColumn, type RunColumn } from './columns.js';
import { sectionsOf } from './curves.js';
import { readQuery, type RuleGroup } from './query.js';

export interface Sort {
  readonly column: RunColumn;
  readonly descending: boolean;
}
export interface WantedRuns {
  readonly project: string;
  readonly rules: RuleGroup | undefined;
  readonly archived: boolean;
  readonly columns: readonly RunColumn[];
  readonly sort: Sort | undefined;
}
/** A column under which something is logged. */
export interface LoggedColumn {
  readonly kind: RunColumn['kind'];
  readonly name: string;
  readonly type?: 'number' | 'text' | 'mixed';
  readonly min?: number | null;
  readonly max?: number | null;
}

/** Rows that are asked for first, and at a time after that. */
export const firstRows = 200;

export const nameColumn: RunColumn = { kind: 'metadata', name: 'name' };
export const facts: readonly RunColumn[] = ['state', 'start', 'duration', 'tags'].map((name) => ({
  kind: 'metadata',
  name,
}));
const isSystem = (name: string) => name.startsWith('sys.');

/** How many parameters are looked at where nothing was chosen: of those that are known to differ, and with those of which it is not known. */
const [mostDiffering, mostParameters] = [12, 24];

/** The parameters that are looked at, in their order: first those whose numbers are not all the same, then texts, of which nothing is known before they are read. */
const usualParameters = (known: readonly LoggedColumn[]): readonly LoggedColumn[] => {
  const all = known.filter(({ kind }) => kind === 'parameter');
  const isText = ({ type }: LoggedColumn) => type === 'text';
  const isEven = ({ type, min, max }: LoggedColumn) => type === 'number' && min === max;
  const differing = all.filter((one) => !isText(one) && !isEven(one)).slice(0, mostDiffering);
  const found = [...differing, ...all.filter(isText)].slice(0, mostParameters);
  const some = new Set([
    ...found,
    ...all.filter(isEven).slice(0, Math.max(0, mostDiffering - found.length)),
  ]);
  return all.filter((one) => some.has(one));
};

/** Where nothing was chosen: what every project is looked at for, and enough parameters to find those that differ. */
export const usualColumns = (known: readonly LoggedColumn[]): readonly RunColumn[] => [
  ...facts,
  ...known
    .filter(({ kind, name }) => kind === 'metric' && !isSystem(name))
    .slice(0, 4)
    .map(({ name }): RunColumn => ({ kind: 'metric', name, value: 'last' })),
  ...usualParameters(known).map(({ name }): RunColumn => ({ kind: 'parameter', name })),
];

export const readColumns = (text: string | null): readonly RunColumn[] =>
  readList(text).flatMap((one) => readColumn(one) ?? []);

export const readSort = (text: string | null): Sort | undefined => {
  const descending = text?.startsWith('-') === true;
  const column = readColumn(descending ? (text?.slice(1) ?? '') : (text ?? ''));
  return column === undefined ? undefined : { column, descending };
};

/** By what runs are grouped: the values of the first, within each those of the next. */
export const mostGroupings = 3;
export const readGroups = (text: string | null): readonly RunColumn[] =>
  readColumns(text).slice(0, mostGroupings);

/** Whether parameters that are the same everywhere are left out: so where no columns were chosen. */
export const readDiffering = (of: URLSearchParams): boolean =>
  (of.get('differing') ?? (of.get('cols') === null ? '1' : '0')) === '1';

/** The columns that a table of these values shows, those that are pinned first; where only differing ones are, no parameter or other value is shown that is the same everywhere, and no metric that no run has. */
export const shownColumns = (
  {
    chosen,
    columns,
    pinned,
    differing,
  }: {
    readonly chosen: readonly RunColumn[];
    /** Those that were asked for, in the order of `values`. */
    readonly columns: readonly RunColumn[];
    readonly pinned: readonly RunColumn[];
    readonly differing: boolean;
  },
  values: readonly (readonly unknown[])[],
): readonly RunColumn[] => {
  const shown = chosen.filter((column) => {
    if (sameColumn(nameColumn)(column)) return false;
    const inRows = values[placeOfColumn(columns, column)] ?? [];
    if (column.kind === 'metadata')
      return column.name !== 'tags' || inRows.some((one) => Array.isArray(one) && one.length > 0);
    if (!differing || inRows.length < 2) return true;
    return column.kind === 'metric'
      ? inRows.some((one) => one !== null && one !== undefined)
      : differs(inRows);
  });
  const isPinned = (column: RunColumn) => pinned.some(sameColumn(column));
  return [...shown.filter(isPinned), ...shown.filter((one) => !isPinned(one))];
};

/** What the server is asked for: the name first, then what is chosen, then what is grouped or coloured by. */
export const askedColumns = (
  chosen: readonly RunColumn[],
  used: readonly RunColumn[],
): readonly RunColumn[] => [
  nameColumn,
  ...chosen.filter((one) => !sameColumn(nameColumn)(one)),
  ...used.filter(
    (one, at) =>
      ![nameColumn, ...chosen].some(sameColumn(one)) && used.findIndex(sameColumn(one)) === at,
  ),
];

/** So many of the newest runs are looked at alone; all where nothing is said. */
export const newestChoices = [10, 50, 200] as const;
export const readNewest = (text: string | null): number | undefined =>
  newestChoices.find((one) => String(one) === text);

/** Of the runs that satisfy rules, those that began at a time or later. */
export const sinceOf = (rules: RuleGroup | undefined, since: number | undefined) =>
  since === undefined
    ? rules
    : {
        condition: 'AND' as const,
        rules: [
          ...(rules === undefined ? [] : [rules]),
          {
            field: 'start_server_timestamp',
            source: 'metadata',
            operator: 'greater_or_equal',
            type: 'double' as const,
            value: since,
          },
        ],
      };

/** The body of a request for a page of rows. */
export const rowsBody = (
  { project, rules, archived, columns, sort }: WantedRuns,
  limit: number,
  cursor?: string | null,
) => ({
  project,
  query: rules,
  archived,
  columns: [...columns],
  limit,
  ...(sort === undefined ? {} : { sort: [{ ...sort.column, descending: sort.descending }] }),
  ...(typeof cursor !== 'string' ? {} : { cursor }),
});

/** The columns that an address names, or those that are usual. */
export const chosenColumns = (
  search: URLSearchParams,
  known: readonly LoggedColumn[],
): readonly RunColumn[] => {
  const named = search.get('cols');
  return named !== null ? readColumns(named) : usualColumns(known);
};

/** The rows that an address asks for first; nothing where its query cannot be read. */
export const wantedRuns = (
  project: string,
  search: URLSearchParams,
  known: readonly LoggedColumn[],
): WantedRuns | undefined => {
  const read = readQuery(search.get('q') ?? '');
  if ('fault' in read) return undefined;
  const chosen = chosenColumns(search, known);
  return {
    project,
    rules: read.rules,
    archived: search.get('archived') === '1',
    columns: askedColumns(chosen, [
      ...readGroups(search.get('group')),
      ...readColumns(search.get('colour')),
      ...readColumns(search.get('stroke')),
    ]),
    sort: readSort(search.get('sort')),
  };
};

/** Runs that are drawn where none is selected. */
export const drawnAtFirst = 10;
/** Charts whose curves come along with the page; the others are asked for meanwhile. */
const broughtCharts = 2;

/** The request for the curves of the first charts of a page of runs; nothing where its address shows something else. */
export const firstCurves = (
  search: URLSearchParams,
  keys: readonly string[],
  known: readonly LoggedColumn[],
) => {
  const elsewhere = ['plot', 'group', 'latest', 'charts', 'panels'].some((one) => search.has(one));
  const metrics = sectionsOf(known.filter(({ kind }) => kind === 'metric').map(({ name }) => name))
    .filter(({ name }) => name !== 'system')
    .flatMap((section) => section.metrics)
    .slice(0, broughtCharts);
  if (elsewhere || keys.length === 0 || metrics.length === 0) return undefined;
  const axis = readAxis(search);
  const columns = drawnColumns(axis, search.get('band') === '1');
  return seriesBody({ runs: keys.slice(0, drawnAtFirst), metrics, columns }, axis);
};
