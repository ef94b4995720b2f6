// The table of runs of a project, and its groups.
import { Failure } from '#ports/failure';
import { pathOf, withQuery } from '../pure/address.js';
import {
  labelOf,
  placeOfColumn,
  sameColumn,
  writeColumn,
  type RunColumn,
} from '../pure/columns.js';
import { formatCount } from '../pure/format.js';
import { groupName, groupsOf } from '../pure/grouping.js';
import { readQuery } from '../pure/query.js';
import {
  chosenColumns,
  nameColumn,
  readColumns,
  readDiffering,
  readGroups,
  readNewest,
  rowsBody,
  shownColumns,
  sinceOf,
  wantedRuns,
  type LoggedColumn,
  type WantedRuns,
} from '../pure/run-page.js';
import {
  cellOf,
  cutOf,
  plainColumns,
  sheetOf,
  type CellForm,
  type Sheet,
  type SheetTable,
} from '../pure/sheet.js';
import { readSpread, type Spread } from '../pure/spread.js';
import { strokesOf } from '../pure/strokes.js';
import type { Faced } from './asking.js';
import { chartsCutOf, chartsOf } from './charts.js';
import { findProject, type Place } from './projects.js';

/** Runs of a face where nothing is said and at most; runs that are drawn, as the page draws them. */
const [usualRows, mostRows] = [100, 1000];
const [drawnAlone, drawnInGroups] = [10, 100];

export interface KnownColumn extends LoggedColumn {
  readonly type: 'number' | 'text' | 'mixed';
}
interface RunsReply {
  readonly total: number;
  readonly keys: readonly string[];
  readonly columns: readonly { readonly values: readonly unknown[] }[];
  readonly cursor: string | null;
}
interface GroupsReply {
  readonly groups: readonly { readonly keys: readonly unknown[]; readonly runs: number }[];
  readonly columns: readonly {
    readonly n: readonly number[];
    readonly mean: readonly (number | null)[];
    readonly deviation: readonly (number | null)[];
    readonly min: readonly (number | null)[];
    readonly max: readonly (number | null)[];
  }[];
  readonly more: boolean;
}

const readLimit = (search: URLSearchParams): number => {
  const asked = Number(search.get('limit') ?? usualRows);
  if (!Number.isInteger(asked) || asked < 1 || asked > mostRows)
    throw new Failure('invalid', `limit must be a whole number from 1 to ${mostRows}`);
  return asked;
};

const formOf = ({ kind, name }: RunColumn): CellForm => {
  if (kind !== 'metadata') return 'plain';
  if (name === 'duration') return 'span';
  return ['start', 'end', 'lastSeen'].includes(name) ? 'time' : 'plain';
};

/** The runs as a table: key and name, then the columns that the page shows. */
const tableOf = (wanted: WantedRuns, shown: readonly RunColumn[], reply: RunsReply): SheetTable => {
  const places = shown.map((column) => placeOfColumn(wanted.columns, column));
  return {
    title: '',
    columns: [
      ...plainColumns('name'),
      ...shown.map((column) => ({ name: labelOf(column), form: formOf(column) })),
      ...plainColumns('key'),
    ],
    rows: reply.keys.map((key, row) => [
      cellOf(reply.columns[0]?.values[row] ?? key),
      ...places.map((place) => cellOf(reply.columns[place]?.values[row])),
      key,
    ]),
  };
};

const dataOf = (wanted: WantedRuns, shown: readonly RunColumn[], reply: RunsReply) =>
  reply.keys.map((key, row) => ({
    key,
    name: reply.columns[0]?.values[row] ?? null,
    values: Object.fromEntries(
      shown.map((column) => [
        writeColumn(column),
        reply.columns[placeOfColumn(wanted.columns, column)]?.values[row] ?? null,
      ]),
    ),
  }));

type Figure = 'mean' | 'deviation' | 'standard error' | 'min' | 'max' | 'n';
/** What is told of the numbers of a group, by the spread that the page shows. */
const figuresBy: Readonly<Record<Spread, readonly Figure[]>> = {
  deviation: ['mean', 'deviation', 'n'],
  'standard error': ['mean', 'standard error', 'n'],
  range: ['mean', 'min', 'max', 'n'],
};

const figureOf = (
  of: GroupsReply['columns'][number],
  figure: Figure,
  at: number,
): number | null => {
  if (figure !== 'standard error') return of[figure][at] ?? null;
  const [deviation, n] = [of.deviation[at] ?? null, of.n[at] ?? 0];
  return deviation === null ? null : deviation / Math.sqrt(n);
};

/** The groups of the whole query as a table: the values that they share, how many runs, and of each number its mean and deviation. */
const groupsTable = async (
  { ask, search }: Faced,
  wanted: WantedRuns,
  known: readonly KnownColumn[],
): Promise<{ readonly table: SheetTable; readonly data: unknown; readonly more: boolean }> => {
  const by = readGroups(search.get('group'));
  const numbers = chosenColumns(search, known)
    .filter(
      (column) =>
        (column.kind === 'metric' || column.kind === 'parameter') &&
        !by.some(sameColumn(column)) &&
        known.some((one) => sameColumn(column)(one) && one.type === 'number'),
    )
    .slice(0, 20);
  const reply = await ask<GroupsReply>('groupRuns', {
    body: {
      project: wanted.project,
      query: wanted.rules,
      archived: wanted.archived,
      by,
      columns: numbers,
    },
  });
  const figures = figuresBy[readSpread(search.get('spread'))];
  return {
    more: reply.more,
    table: {
      title: '',
      columns: plainColumns(
        ...by.map(labelOf),
        'runs',
        ...numbers.flatMap((one) => figures.map((name) => `${labelOf(one)} ${name}`)),
      ),
      rows: reply.groups.map(({ keys, runs }, at) => [
        ...keys.map(groupName),
        runs,
        ...reply.columns.flatMap((of) => figures.map((name) => figureOf(of, name, at))),
      ]),
    },
    data: reply.groups.map(({ keys, runs }, at) => ({
      by: Object.fromEntries(by.map((column, place) => [writeColumn(column), keys[place] ?? null])),
      runs,
      figures: Object.fromEntries(
        reply.columns.map((of, place) => [
          numbers[place] === undefined ? '' : writeColumn(numbers[place]),
          {
            n: of.n[at] ?? 0,
            mean: of.mean[at] ?? null,
            deviation: of.deviation[at] ?? null,
            min: of.min[at] ?? null,
            max: of.max[at] ?? null,
          },
        ]),
      ),
    })),
  };
};

/** The runs that are drawn, in groups where the page has groups. */
const drawnOf = (
  wanted: WantedRuns,
  by: readonly RunColumn[],
  reply: RunsReply,
  stroke: string | null,
) => {
  const place = new Map(reply.keys.map((key, at) => [key, at]));
  const valueOf = (column: RunColumn, run: string) =>
    reply.columns[wanted.columns.findIndex(sameColumn(column))]?.values[place.get(run) ?? -1];
  const runs = reply.keys.slice(0, by.length === 0 ? drawnAlone : drawnInGroups);
  const [stroked] = stroke === 'each' ? [] : readColumns(stroke);
  const strokes =
    by.length > 0 || (stroke !== 'each' && stroked === undefined)
      ? undefined
      : strokesOf(runs, stroked === undefined ? undefined : (run) => valueOf(stroked, run)).by;
  return {
    runs,
    ...(strokes === undefined ? {} : { strokeOf: (run: string) => strokes.get(run) }),
    groups:
      by.length === 0
        ? undefined
        : groupsOf(runs, (run) => by.map((one) => groupName(valueOf(one, run))).join(' · ')),
    nameOf: (run: string) => String(valueOf(nameColumn, run) ?? run),
  };
};

/** Where an address looks at the newest runs alone: those that began when the last of them did, or later. */
const newestOf = async ({ ask, search }: Faced, wanted: WantedRuns): Promise<WantedRuns> => {
  const newest = readNewest(search.get('newest'));
  if (newest === undefined) return wanted;
  const columns: readonly RunColumn[] = [{ kind: 'metadata', name: 'start' }];
  const reply = await ask<RunsReply>('queryRuns', {
    body: rowsBody({ ...wanted, columns, sort: undefined }, newest),
  });
  const last = reply.columns[0]?.values.at(-1);
  return reply.total <= newest || typeof last !== 'number'
    ? wanted
    : { ...wanted, rules: sinceOf(wanted.rules, last) };
};

export const runsSheet = async (faced: Faced, at: Place): Promise<Sheet> => {
  const { ask, search } = faced;
  const limit = readLimit(search);
  const projectId = await findProject(ask, at);
  const { columns: known } = await ask<{ readonly columns: readonly KnownColumn[] }>(
    'listRunColumns',
    { query: { project: projectId } },
  );
  const named = wantedRuns(projectId, search, known);
  if (named === undefined) {
    const read = readQuery(search.get('q') ?? '');
    throw new Failure('invalid', 'fault' in read ? read.fault.says : 'the query cannot be read');
  }
  const wanted = await newestOf(faced, named);
  const reply = await ask<RunsReply>('queryRuns', { body: rowsBody(wanted, limit) });
  const by = readGroups(search.get('group'));
  const shown = shownColumns(
    {
      chosen: chosenColumns(search, known),
      columns: wanted.columns,
      pinned: readColumns(search.get('pin')),
      differing: readDiffering(search),
    },
    reply.columns.map(({ values }) => values),
  );
  const groups = by.length === 0 ? undefined : await groupsTable(faced, wanted, known);
  const drawn = drawnOf(wanted, by, reply, search.get('stroke'));
  const metrics = known.filter(({ kind }) => kind === 'metric').map(({ name }) => name);
  const charts = await chartsOf(faced, { ...drawn, metrics });
  const counted = `${formatCount(reply.keys.length)} of ${formatCount(reply.total)} runs`;
  const says =
    groups === undefined
      ? counted
      : `${groups.table.rows.length} groups of ${formatCount(reply.total)} runs${groups.more ? '; there are more' : ''}`;
  const asked = search.get('q') ?? '';
  return sheetOf({
    title: `Runs of ${at.project}`,
    path: pathOf('w', at.workspace, 'p', at.project, 'runs') + withQuery(search.toString(), {}),
    cut:
      groups === undefined
        ? cutOf(reply.keys.length, reply.total)
        : groups.more
          ? `first ${groups.table.rows.length} groups`
          : undefined,
    says: [`${says}.`, ...(asked === '' ? [] : [`Query: ${asked}`])],
    tables: [groups?.table ?? tableOf(wanted, shown, reply)],
    charts,
    chartsCut: chartsCutOf(faced, metrics),
    data: {
      workspace: at.workspace,
      project: at.project,
      total: reply.total,
      ...(groups === undefined
        ? { runs: dataOf(wanted, shown, reply), more: reply.cursor !== null }
        : { groups: groups.data, more: groups.more }),
    },
  });
};
