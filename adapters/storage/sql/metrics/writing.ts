// The statements that put points into their series: rows of series, their chunks, and notes of what is worth merging.
import type { ColumnValues } from '#ports/sql-dialect';
import { orNothing, type Connection } from '../connection.js';
import { chunkPoints, cut, insertChunks } from './chunks.js';
import type { Place } from './points.js';
import { encodeRaw } from './raw.js';
import { type Ends, type Run } from './runs.js';

/** Small chunks after which a series is worth merging. */
export const looseLimit = 64;
/** The same where a chunk is nearly full as it comes. */
const [looseLarge, manyPoints] = [8, 512];

/** Where an experiment is, and how often series were removed from it. */
export interface Home {
  readonly projectId: string;
  readonly removals: number;
}

/** Locks those of these experiments that are there, in the one order in which every transaction touches rows. */
export const lockExperiments = async (
  { db, dialect }: Connection,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Home>> => {
  const rows = (await dialect.run(
    db,
    `select id, project_id, series_removals from experiments where ${dialect.anyOf('id', 'id')} and deleted_at is null order by id for update`,
    [ids],
  )) as readonly {
    readonly id: string;
    readonly project_id: string;
    readonly series_removals: unknown;
  }[]; // the columns named
  return new Map(
    rows.map((row) => [
      row.id,
      { projectId: row.project_id, removals: Number(row.series_removals) },
    ]),
  );
};

/** The project of each experiment. */
export const projectsOf = (homes: ReadonlyMap<string, Home>): ReadonlyMap<string, string> =>
  new Map([...homes].map(([id, { projectId }]) => [id, projectId]));

/** What is stored of a series: how it is called, its points and its small chunks. */
export interface Counts {
  readonly name: string;
  readonly context: string | undefined;
  readonly n: number;
  readonly loose: number;
}

/** What is stored of these series, by the keys of runs. */
export const readCounts = async (
  { db, dialect }: Connection,
  runs: readonly Pick<Run, 'experimentId' | 'seriesId'>[],
): Promise<ReadonlyMap<string, Counts>> => {
  if (runs.length === 0) return new Map();
  const rows = (await dialect.run(
    db,
    `select experiment_id, series_id, name, context, n, loose from series where ${dialect.anyOf('experiment_id', 'id')} and ${dialect.anyOf('series_id', 'id')}`,
    [
      [...new Set(runs.map((run) => run.experimentId))],
      [...new Set(runs.map((run) => run.seriesId))],
    ],
  )) as readonly {
    readonly experiment_id: string;
    readonly series_id: string;
    readonly name: string;
    readonly context: string | null;
    readonly n: unknown;
    readonly loose: unknown;
  }[]; // the columns named
  return new Map(
    rows.map((row) => [
      row.experiment_id + row.series_id,
      {
        name: row.name,
        context: orNothing(row.context),
        n: Number(row.n),
        loose: Number(row.loose),
      },
    ]),
  );
};

const ends = ['min', 'max', 'last'] as const;

/** Merging in SQL, in an order in which no assignment reads what an earlier one changed. */
export const mergeSeries = (
  { dialect }: Connection,
  incoming = (column: string) => dialect.incoming(column),
): readonly string[] => {
  const stored = (column: string) => dialect.stored('series', column);
  const follow = (end: 'min' | 'max', sign: '<' | '>') => {
    const wins = `(${stored(`${end}_value`)} is null or ${incoming(`${end}_value`)} ${sign} ${stored(`${end}_value`)})`;
    return ['text', 'step', 'epoch', 'time', 'value'].map(
      (part) =>
        `${end}_${part} = case when ${wins} then ${incoming(`${end}_${part}`)} else ${stored(`${end}_${part}`)} end`,
    );
  };
  return [
    `n = ${stored('n')} + ${incoming('n')}`,
    `loose = ${stored('loose')} + ${incoming('loose')}`,
    ...['text', 'step', 'epoch', 'time', 'value'].map(
      (part) => `last_${part} = ${incoming(`last_${part}`)}`,
    ),
    ...follow('min', '<'),
    ...follow('max', '>'),
  ];
};

/** A text where the number does not print like it; `last` keeps its own always, because searches copy it. */
const keptText = (end: (typeof ends)[number], { text, value }: Place): string | null =>
  end !== 'last' && Number.isFinite(value) && String(value) === text ? null : text;

/** What a flush brings of each series, as columns of that table. */
export const seriesColumns = (
  runs: readonly Run[],
  found: readonly Ends[],
): readonly ColumnValues[] => [
  { name: 'experiment_id', kind: 'id', values: runs.map((run) => run.experimentId) },
  { name: 'series_id', kind: 'id', values: runs.map((run) => run.seriesId) },
  { name: 'name', kind: 'text', values: runs.map((run) => run.name) },
  { name: 'context', kind: 'text', values: runs.map((run) => run.context ?? null) },
  { name: 'n', kind: 'whole', values: runs.map((run) => run.count) },
  { name: 'loose', kind: 'whole', values: runs.map((run) => Math.ceil(run.count / chunkPoints)) },
  ...ends.flatMap((end): readonly ColumnValues[] => {
    const places = found.map((one) => one[end] ?? one.last);
    return [
      {
        name: `${end}_value`,
        kind: 'real',
        values: places.map(({ value }) => (Number.isFinite(value) ? value : null)),
      },
      { name: `${end}_text`, kind: 'text', values: places.map((place) => keptText(end, place)) },
      { name: `${end}_step`, kind: 'whole', values: places.map(({ step }) => step ?? null) },
      { name: `${end}_epoch`, kind: 'whole', values: places.map(({ epoch }) => epoch ?? null) },
      { name: `${end}_time`, kind: 'whole', values: places.map(({ timestamp }) => timestamp) },
    ];
  }),
];

export const upsertSeries = (
  connection: Connection,
  runs: readonly Run[],
  found: readonly Ends[],
): Promise<void> =>
  connection.dialect.insertColumns(
    connection.db,
    'series',
    seriesColumns(runs, found),
    connection.dialect.onConflict(['experiment_id', 'series_id'], mergeSeries(connection)),
  );

/** Each run as chunks, numbered from what its series held before. */
export const writeChunks = (
  { db, dialect }: Connection,
  runs: readonly Run[],
  countOf: (run: Run) => Pick<Counts, 'n'>,
): Promise<void> =>
  insertChunks(
    db,
    dialect,
    runs.flatMap((run) =>
      cut(run.slices, run.count, countOf(run).n).map(({ firstIndex, n, slices }) => ({
        experimentId: run.experimentId,
        seriesId: run.seriesId,
        firstIndex,
        n,
        ends: undefined,
        bytes: encodeRaw(slices),
        packed: false,
      })),
    ),
  );

/** Whether a number that grows by `more` comes to another multiple of `limit`. */
const passes = (limit: number, from: number, more: number): boolean =>
  Math.floor((from + more) / limit) > Math.floor(from / limit);

/** Whether a series comes to another `looseLimit` small chunks by these points, or to another few where they are many: what is not merged, a chart decodes. */
export const isDue = (loose: number, count: number): boolean => {
  const more = Math.ceil(count / chunkPoints);
  return (
    passes(looseLimit, loose, more) || (count >= manyPoints && passes(looseLarge, loose, more))
  );
};

export const queueCompaction = async (
  { db, dialect, clock }: Connection,
  runs: readonly Run[],
): Promise<void> => {
  if (runs.length === 0) return;
  await dialect.insertFresh(
    db,
    'compactions',
    ['experiment_id', 'series_id'],
    [
      { name: 'experiment_id', kind: 'id', values: runs.map((run) => run.experimentId) },
      { name: 'series_id', kind: 'id', values: runs.map((run) => run.seriesId) },
      { name: 'at', kind: 'whole', values: runs.map(() => clock.now()) },
    ],
  );
};
