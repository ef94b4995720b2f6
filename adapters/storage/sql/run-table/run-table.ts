import type { RunTableStore } from '#ports/storage/run-table';
import type { Connection } from '../connection.js';
import type { Searchable } from '../metrics/searchable.js';
import { refreshProject } from '../refresh-project.js';
import type { Semaphore } from '../semaphore.js';
import { findColumns } from './columns.js';
import { readContents } from './contents.js';
import { findGroups, findValues } from './groups.js';
import { lookAt } from './keys.js';
import { findPage } from './paging.js';
import { refreshFor } from './selecting.js';

export const runTableStore = (
  connection: Connection,
  searchable: Searchable,
  turns: Semaphore,
): RunTableStore => ({
  async page(query) {
    const sorted = query.sort.map(({ column }) => column);
    const look = () => lookAt(connection, query.projectId, sorted);
    // What is looked at beside is looked at again where it may have changed, which is rare.
    const [changed, before] = await Promise.all([
      refreshFor(connection, searchable, query, sorted),
      look(),
    ]);
    const looked = changed ? await look() : before;
    return turns.take(query.signal, () => findPage(connection, query, looked));
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
