import { area } from '#ports/api/area';
import { privateFamily } from '#ports/api/families/private';
import { runTableBounds, runTableOperations } from '#ports/api/run-table';
import { Failure } from '#ports/failure';
import type { Project } from '#ports/model/projects';
import type { Condition } from '#ports/query';
import { Secrets } from '#ports/secrets';
import type { RunSort } from '#ports/storage/run-table';
import { Storage } from '#ports/storage/storage';
import { translatePredicates, translateRulesTree } from '../experiments/query/translate.js';
import { readColumn, type AskedColumn } from './columns.js';
import { readCursor, writeCursor } from './cursor.js';

const needs = { storage: Storage, secrets: Secrets };
const pageSize = 100;

/** The two forms of the query language: a list of predicates, or a tree of rules. */
const readQuery = (query: unknown): Condition =>
  Array.isArray(query) ? translatePredicates(query) : translateRulesTree(query);

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
  asked: { readonly condition: Condition; readonly archived: boolean; readonly sort: unknown },
): string => secrets.hash(JSON.stringify([workspaceId, id, asked])).slice(0, 32);

export const runTableArea = area({
  name: 'run-table',
  summary: 'The table of a project’s runs, in one call.',
  family: privateFamily,
  table: runTableOperations,
  needs,
  handlers: ({ storage, secrets }) => {
    const { runTable } = storage.stores;
    return {
      async queryRuns({ body, project, signal }) {
        const limit = body.limit ?? pageSize;
        const columns = (body.columns ?? []).map(readColumn);
        checkCells(limit, columns.length);
        const sort =
          body.sort === undefined || body.sort.length === 0 ? newest : body.sort.map(readSort);
        const [condition, archived] = [readQuery(body.query), body.archived ?? false];
        const digest = digestOf(secrets, project, { condition, archived, sort });
        const page = await runTable.page({
          projectId: project.id,
          condition,
          archived,
          sort,
          columns,
          limit,
          signal,
          ...(body.cursor === undefined
            ? {}
            : { after: readCursor(digest, sort.length, body.cursor) }),
        });
        return {
          total: page.total,
          ids: page.ids,
          keys: page.keys,
          columns: columns.map((column, at) => ({
            kind: column.kind,
            name: column.name,
            value: 'value' in column ? column.value : null,
            values: page.columns[at]?.cells ?? [],
            cut: page.columns[at]?.cut ?? 0,
          })),
          cursor: page.next === undefined ? null : writeCursor(digest, page.next),
        };
      },
    };
  },
});
