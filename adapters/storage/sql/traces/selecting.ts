// Which rows of traces or spans a selection means, as SQL.
import type { TraceEntry } from '#ports/model/traces';
import type { Fragment } from '#ports/sql-dialect';
import type { TraceSelection } from '#ports/storage/traces';
import type { Connection } from '../connection.js';
import { filterBy, type FieldSources } from '../field-query.js';
import { both, fragment, never } from '../fragment.js';
import { spanSources, traceSources } from './fields.js';
import { threadKey, type Shelf } from './rows.js';
import { searched } from './searching.js';

/** A selection, of spans without claims about their bodies: those are told by ids. */
export interface Selection extends TraceSelection {
  readonly among?: readonly string[];
  /** Whether there may be further ones, older than those. */
  readonly more?: true;
  readonly beforeId?: string | undefined;
}
type Kind = Shelf<TraceEntry>['kind'];

export const sourcesOf = (kind: Kind): FieldSources =>
  kind === 'trace' ? traceSources : spanSources;

const searchedColumns: Readonly<Record<Kind, readonly string[]>> = {
  trace: ['x.name', 'x.input', 'x.output', 'x.metadata', 'x.error_info', 'x.tags', 'x.thread_id'],
  span: ['x.name', 'x.metadata', 'x.error_info', 'x.tags'],
};

/** Whether a text stands in a row, the bodies of spans aside. */
export const foundInRow = (
  { dialect }: Pick<Connection, 'dialect'>,
  kind: Kind,
  search: string,
): Fragment =>
  searched(
    search,
    [...(mayStandInId(search) ? [dialect.idAsText('x.id')] : []), ...searchedColumns[kind]],
    dialect,
  );
const mayStandInId = (text: string): boolean => /^[\da-f-]{1,36}$/i.test(text);

/** Which rows of a table, as `x`, are selected. */
export const selected = (
  connection: Pick<Connection, 'dialect'>,
  { kind }: Pick<Shelf<TraceEntry>, 'kind'>,
  { projectId, filters, search, fromId, toId, traceId, threadId, type, among, beforeId }: Selection,
): Fragment =>
  both(
    fragment('x.project_id = ?', projectId),
    ...(traceId === undefined ? [] : [fragment('x.trace_id = ?', traceId)]),
    ...(threadId === undefined ? [] : [fragment('x.thread_key = ?', threadKey(threadId))]),
    ...(type === undefined ? [] : [fragment("coalesce(x.type, 'general') = ?", type)]),
    ...(fromId === undefined ? [] : [fragment('x.id >= ?', fromId)]),
    ...(toId === undefined ? [] : [fragment('x.id <= ?', toId)]),
    ...(beforeId === undefined ? [] : [fragment('x.id < ?', beforeId)]),
    filterBy(filters, sourcesOf(kind), connection.dialect),
    ...(search === undefined ? [] : [foundInRow(connection, kind, search)]),
    ...(among === undefined
      ? []
      : [among.length === 0 ? never : fragment(connection.dialect.anyOf('x.id', 'id'), among)]),
  );
