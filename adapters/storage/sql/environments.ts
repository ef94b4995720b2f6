import type { Environment } from '#ports/model/environments';
import type { EnvironmentStore } from '#ports/storage/environments';
import {
  authorshipColumns,
  authorshipRow,
  changedColumns,
  textIn,
  toAuthorship,
  touchRow,
  wholeIn,
  type Row,
} from './authorship.js';
import { refuseTaken, type Connection } from './connection.js';
import { isId } from './ids.js';

const columns = [
  'workspace_id',
  'id',
  'name',
  'description',
  'color',
  'position',
  ...authorshipColumns,
];

const toEnvironment = (row: Row): Environment => ({
  workspaceId: String(row['workspace_id']),
  id: String(row['id']),
  name: String(row['name']),
  description: textIn(row, 'description'),
  color: textIn(row, 'color'),
  position: wholeIn(row, 'position'),
  ...toAuthorship(row),
});

const taken = 'Environment already exists';
/** More than a workspace may have. */
const mostListed = 2000;

export const environmentStore = ({ db, dialect }: Connection): EnvironmentStore => ({
  insert: (environment) =>
    refuseTaken(
      dialect,
      taken,
      db('environments').insert({
        workspace_id: environment.workspaceId,
        id: environment.id,
        name: environment.name,
        description: environment.description ?? null,
        color: environment.color ?? null,
        position: environment.position ?? null,
        ...authorshipRow(environment),
      }),
    ),
  async find(workspaceId, id) {
    if (!isId(id)) return undefined;
    const row = (await db('environments')
      .select(...columns)
      .where({ workspace_id: workspaceId, id })
      .first()) as Row | undefined; // the columns named
    return row === undefined ? undefined : toEnvironment(row);
  },
  async list(workspaceId) {
    const rows = (await db('environments')
      .select(...columns)
      .where({ workspace_id: workspaceId })
      .orderByRaw('case when position is null then 1 else 0 end, position, id')
      .limit(mostListed)) as readonly Row[]; // the columns named
    return rows.map(toEnvironment);
  },
  async update(workspaceId, id, change) {
    if (!isId(id)) return false;
    const one = { workspace_id: workspaceId, id };
    let changed = 0;
    await refuseTaken(
      dialect,
      taken,
      db('environments')
        .where(one)
        .update({
          ...changedColumns(change, {
            name: 'name',
            description: 'description',
            color: 'color',
            position: 'position',
          }),
          ...touchRow(change),
        })
        .then((rows) => (changed = rows)),
    );
    return changed > 0 || (await db('environments').select('id').where(one).first()) !== undefined; // one engine counts no row whose values stay the same
  },
  async remove(workspaceId, ids) {
    await db('environments')
      .where({ workspace_id: workspaceId })
      .whereIn('id', ids.filter(isId))
      .delete();
  },
});
