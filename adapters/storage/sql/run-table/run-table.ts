import type { RunTableStore } from '#ports/storage/run-table';
import type { Connection } from '../connection.js';
import type { Searchable } from '../metrics/searchable.js';
import { refreshProject } from '../refresh-project.js';
import type { Semaphore } from '../semaphore.js';
import { findColumns } from './columns.js';
import { readContents } from './contents.js';
import { findGroups, findValues } from './groups.js';
import { findPage } from './paging.js';

export const runTableStore = (
  connection: Connection,
  searchable: Searchable,
  turns: Semaphore,
): RunTableStore => ({
  page: (query) => turns.take(query.signal, () => findPage(connection, searchable, query)),
  groups: (query) => turns.take(query.signal, () => findGroups(connection, searchable, query)),
  columns: (query) =>
    turns.take(query.signal, async () => {
      // A metric is a name of its project from its first point on, and its copy holds the newest value.
      await refreshProject(connection, searchable, query.projectId);
      return findColumns(connection, query);
    }),
  contents: (runIds, limit) => turns.take(undefined, () => readContents(connection, runIds, limit)),
  values: (query) => turns.take(query.signal, () => findValues(connection, searchable, query)),
});
