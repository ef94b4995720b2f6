import type { RunTableStore } from '#ports/storage/run-table';
import type { Connection } from '../connection.js';
import type { Searchable } from '../metrics/searchable.js';
import { refreshProject } from '../refresh-project.js';
import type { Semaphore } from '../semaphore.js';
import { findColumns } from './columns.js';
import { readContents } from './contents.js';
import { findGroups, findValues } from './groups.js';
import { findPage } from './paging.js';
import { refreshFor } from './selecting.js';

export const runTableStore = (
  connection: Connection,
  searchable: Searchable,
  turns: Semaphore,
): RunTableStore => ({
  async page(query) {
    const sorted = query.sort.map(({ column }) => column);
    await refreshFor(connection, searchable, query, sorted);
    return turns.take(query.signal, () => findPage(connection, query));
  },
  async groups(query) {
    await refreshFor(connection, searchable, query, [...query.by, ...query.columns]);
    return turns.take(query.signal, () => findGroups(connection, query));
  },
  async columns(query) {
    // A metric is a name of its project from its first point on, and its copy holds the newest value.
    await refreshProject(connection, searchable, query.projectId);
    return turns.take(query.signal, () => findColumns(connection, query));
  },
  contents: (runIds, limit) => turns.take(undefined, () => readContents(connection, runIds, limit)),
  async values(query) {
    await refreshFor(connection, searchable, query, [query.column]);
    return turns.take(query.signal, () => findValues(connection, query));
  },
});
