import { area } from '#ports/api/area';
import { privateFamily } from '#ports/api/families/private';
import { runTableBounds, runTableOperations } from '#ports/api/run-table';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import type { Project } from '#ports/model/projects';
import { NamePatterns } from '#ports/name-patterns';
import { Parquet } from '#ports/parquet';
import { Secrets } from '#ports/secrets';
import { mostCountedRuns, runFacts, type RunColumn, type RunSort } from '#ports/storage/run-table';
import { storageOf } from '#ports/storage/storage';
import { readPageQuery } from '../experiments/query/matching.js';
import { translateRulesTree } from '../experiments/query/translate.js';
import { readColumn, type AskedColumn } from './columns.js';
import { tableFile } from '../table-file.js';
import {
  everyFact,
  headColumns,
  pagesFrom,
  parseColumns,
  parseOrder,
  parseQuery,
  rowsOfPage,
} from './exporting.js';
import { readCursor, writeCursor } from './cursor.js';
import { findDifferences } from './differences.js';

const needs = {
  storage: storageOf('runTable'),
  secrets: Secrets,
  parquet: Parquet,
  patterns: NamePatterns,
  clock: Clock,
};
const pageSize = 100;
const valuesAtOnce = 20;

const readSort = ({
  descending = false,
  ...asked
}: AskedColumn & { readonly descending?: boolean | undefined }): RunSort => ({
  column: readColumn(asked),
  descending,
});

const newest: readonly RunSort[] = [
  { column: { kind: 'metadata', name: 'start' }, descending: true },
];

/** Newest first where nothing is asked for. */
const readOrder = (asked: readonly Parameters<typeof readSort>[0][]): readonly RunSort[] =>
  asked.length === 0 ? newest : asked.map(readSort);

const checkCells = (runs: number, columns: number): void => {
  if (runs * columns > runTableBounds.cells)
    throw new Failure(
      'invalid',
      `a page holds at most ${runTableBounds.cells} values; ${runs} runs of ${columns} columns are more`,
    );
};

/** What a cursor is bound to. */
const digestOf = (
  secrets: Secrets,
  { id, workspaceId }: Project,
  asked: { readonly query: unknown; readonly archived: boolean; readonly sort: unknown },
): string => secrets.hash(JSON.stringify([workspaceId, id, asked])).slice(0, 32);

const named = (column: RunColumn) => ({
  kind: column.kind,
  name: column.name,
  value: 'value' in column ? column.value : null,
});

/** Groups have one key of each run, and a list of tags is none. */
const checkKeys = (columns: readonly RunColumn[]): void => {
  if (columns.some(({ kind, name }) => kind === 'metadata' && name === 'tags'))
    throw new Failure('invalid', 'a run has many tags; name one of them as a column of kind tag');
};

const checkCompared = (runs: number): void => {
  if (runs === 0) throw new Failure('invalid', 'runs must name the runs that are compared');
  if (runs > runTableBounds.compared)
    throw new Failure('invalid', `at most ${runTableBounds.compared} runs are compared at once`);
};

export const runTableArea = area({
  name: 'run-table',
  summary: 'The table of a project’s runs, in one call.',
  family: privateFamily,
  table: runTableOperations,
  needs,
  handlers: ({ storage, secrets, parquet, patterns, clock }) => {
    const { runTable } = storage.stores;
    const readQuery = readPageQuery.bind(undefined, { runTable, patterns, clock });
    return {
      async queryRuns({ body, project, signal }) {
        const limit = body.limit ?? pageSize;
        const columns = (body.columns ?? []).map(readColumn);
        checkCells(limit, columns.length);
        const sort = readOrder(body.sort ?? []);
        const selection = { projectId: project.id, archived: body.archived ?? false, signal };
        const asked = { query: body.query, archived: selection.archived, sort };
        const digest = digestOf(secrets, project, asked);
        const after =
          body.cursor === undefined ? {} : { after: readCursor(digest, sort.length, body.cursor) };
        const condition = await readQuery(selection, body.query);
        const page = await runTable.page({
          ...selection,
          ...{ condition, sort, columns, limit },
          ...after,
        });
        return {
          total: page.total,
          ids: page.ids,
          keys: page.keys,
          columns: columns.map((column, at) => ({
            ...named(column),
            values: page.columns[at]?.cells ?? [],
            cut: page.columns[at]?.cut ?? 0,
          })),
          cursor: page.next === undefined ? null : writeCursor(digest, page.next),
        };
      },
      async groupRuns({ body, project, signal }) {
        const by = body.by.map(readColumn);
        if (by.length === 0) throw new Failure('invalid', 'by must name at least one column');
        checkKeys(by);
        const columns = (body.columns ?? []).map(readColumn);
        const selection = { projectId: project.id, archived: body.archived ?? false, signal };
        const condition = await readQuery(selection, body.query);
        const limit = body.limit ?? pageSize;
        const asked = { ...selection, condition, by, columns, limit };
        const { groups, more } = await runTable.groups(asked);
        const figures = (at: number, member: 'mean' | 'deviation' | 'min' | 'max') =>
          groups.map((group) => group.figures[at]?.[member] ?? null);
        return {
          by: by.map(named),
          groups: groups.map(({ keys, runs }) => ({ keys, runs })),
          columns: columns.map((column, at) => ({
            ...named(column),
            n: groups.map((group) => group.figures[at]?.n ?? 0),
            mean: figures(at, 'mean'),
            deviation: figures(at, 'deviation'),
            min: figures(at, 'min'),
            max: figures(at, 'max'),
          })),
          more,
        };
      },
      async listRunColumns({ query, project, signal }) {
        const { columns, more } = await runTable.columns({
          projectId: project.id,
          limit: query.limit ?? runTableBounds.names,
          signal,
          ...(query.q === undefined ? {} : { part: query.q }),
        });
        return {
          metadata: runFacts,
          columns: columns.map((column) => ({
            ...column,
            min: column.min ?? null,
            max: column.max ?? null,
          })),
          more,
          countedTo: mostCountedRuns,
        };
      },
      async exportRuns({ query: asked, project, signal }) {
        const columns = asked.columns === undefined ? everyFact : parseColumns(asked.columns);
        const sort = asked.sort === undefined ? newest : parseOrder(asked.sort);
        const selection = { projectId: project.id, archived: asked.archived ?? false, signal };
        const query = {
          ...selection,
          condition: await readQuery(selection, parseQuery(asked.query)),
          sort,
          columns,
          limit: rowsOfPage(columns.length),
          uncounted: true,
          wholeTexts: true,
        };
        const heads = await headColumns(
          storage.stores,
          project.id,
          columns,
          asked.format === 'parquet',
        );
        // What is wrong with the query is told before the file begins.
        const first = await runTable.page(query);
        const file = { name: `runs of ${project.name.slice(0, 100)}`, format: asked.format };
        return tableFile(parquet, file, heads, () => pagesFrom(storage.stores, query, first));
      },
      async compareRuns({ experiments }) {
        const runs = [...new Map(experiments.map((one) => [one.id, one])).values()];
        const ids = runs.map(({ id }) => id);
        checkCompared(ids.length);
        const found = await runTable.contents(ids, runTableBounds.contents);
        return {
          runs: runs.map(({ key }) => key),
          sections: findDifferences(found, ids, runTableBounds.differences).map((section) => ({
            ...section,
            differences: section.differences.map((one) => ({ ...one, bytes: one.bytes ?? null })),
          })),
        };
      },
      async listRunValues({ query, project, signal }) {
        const column = readColumn(query);
        checkKeys([column]);
        return {
          values: await runTable.values({
            projectId: project.id,
            condition: translateRulesTree(undefined),
            archived: false,
            column,
            limit: query.limit ?? valuesAtOnce,
            signal,
            ...(query.prefix === undefined ? {} : { prefix: query.prefix }),
          }),
        };
      },
    };
  },
});
