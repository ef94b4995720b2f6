import type { Knex } from 'knex';
import { Failure } from '#ports/failure';
import type {
  Blueprint,
  BlueprintType,
  ConfigValue,
  ConfigValueType,
  PlacedBlueprint,
} from '#ports/model/agent-configs';
import {
  mostConfigBytes,
  mostConfigEnvironments,
  mostConfigKeys,
  type AgentConfigStore,
  type EmptyBlueprint,
  type NewBlueprint,
  type NewConfigValue,
} from '#ports/storage/agent-configs';
import {
  authorshipColumns,
  authorshipRow,
  textIn,
  toAuthorship,
  wholeIn,
  type Row,
} from './authorship.js';
import { inTransaction, keyOf, type Connection } from './connection.js';
import { isId } from './ids.js';
import { requireRoom } from './room.js';

/** The number that closes a value which still holds. */
const open = 2_147_483_647;

const blueprintColumns = [
  'project_id',
  'id',
  'type',
  'number',
  'description',
  ...authorshipColumns,
].map((column) => `b.${column}`);
const valueColumns = ['name', 'content', 'type', 'description'];

const toBlueprint = (row: Row, environments: readonly string[]): Blueprint => ({
  projectId: String(row['project_id']),
  id: String(row['id']),
  type: String(row['type']) as BlueprintType, // as it was written
  number: wholeIn(row, 'number'),
  description: textIn(row, 'description'),
  environments,
  ...toAuthorship(row),
});
const toValue = (row: Row): ConfigValue => ({
  key: String(row['name']),
  value: textIn(row, 'content'),
  type: String(row['type']) as ConfigValueType, // as it was written
  description: textIn(row, 'description'),
});

const bytesOf = (text: string | undefined): number =>
  text === undefined ? 0 : Buffer.byteLength(text);

/** Holds back every other change of the configuration. Says how many versions it has; `undefined` where there is none. */
const lock = async (db: Knex, projectId: string): Promise<number | undefined> => {
  const row = (await db('agent_configs')
    .select('blueprint_count')
    .where({ project_id: projectId })
    .forUpdate()
    .first()) as Row | undefined; // the column named
  return row === undefined ? undefined : Number(row['blueprint_count']);
};

const requireFreshId = async (
  db: Knex,
  { workspaceId, projectId, id }: Pick<NewBlueprint, 'workspaceId' | 'projectId' | 'id'>,
): Promise<void> => {
  const taken = (await db('agent_blueprints as b')
    .leftJoin('projects as p', 'p.id', 'b.project_id')
    .select('b.id')
    .where('b.id', id)
    .where((any) => any.where('b.project_id', projectId).orWhere('p.workspace_id', workspaceId))
    .first()) as Row | undefined; // the column named
  if (taken !== undefined) throw new Failure('conflict', `blueprint ${id} already exists`);
};

/** Rows of one statement. */
const rowsAtOnce = 100;

const writeValues = async (
  db: Knex,
  { projectId, id }: Pick<NewBlueprint, 'projectId' | 'id'>,
  number: number | undefined,
  values: readonly NewConfigValue[],
): Promise<void> => {
  const rows = values.map(({ key, value, type, description, follows }, place) => ({
    project_id: projectId,
    blueprint_id: id,
    place,
    name: key,
    name_key: keyOf(key),
    content: value ?? null,
    type,
    description: description ?? null,
    bytes: bytesOf(key) + bytesOf(value) + bytesOf(description),
    prompt_id: follows?.promptId ?? null,
    prompt_number: follows?.number ?? null,
    set_by: number ?? 0,
    closed_by: number === undefined ? 0 : open,
  }));
  for (let from = 0; from < rows.length; from += rowsAtOnce)
    await db('agent_config_values').insert(rows.slice(from, from + rowsAtOnce));
};

const openValues = (db: Knex, projectId: string) =>
  db('agent_config_values').where({ project_id: projectId, closed_by: open });

const requireSize = async (db: Knex, projectId: string): Promise<void> => {
  const [size] = (await openValues(db, projectId).select({
    n: db.raw('count(*)'),
    bytes: db.raw('coalesce(sum(bytes), 0)'),
  })) as readonly Row[]; // one row of two columns
  if (Number(size?.['n']) > mostConfigKeys)
    throw new Failure('unprocessable', `a configuration has at most ${mostConfigKeys} keys`);
  if (Number(size?.['bytes']) > mostConfigBytes)
    throw new Failure(
      'unprocessable',
      `the values of a configuration have at most ${mostConfigBytes} bytes together`,
    );
};

const writeBlueprint = async (
  db: Knex,
  made: Omit<NewBlueprint, 'values'>,
  number: number | undefined,
): Promise<void> => {
  await db('agent_blueprints').insert({
    project_id: made.projectId,
    id: made.id,
    type: made.type,
    number: number ?? null,
    description: made.description ?? null,
    ...authorshipRow(made),
  });
  if (number !== undefined)
    await db('agent_configs')
      .where({ project_id: made.projectId })
      .update({ blueprint_count: number });
};

const withoutValues = (
  {
    projectId,
    id,
    type,
    description,
    createdAt,
    createdBy,
    lastUpdatedAt,
    lastUpdatedBy,
  }: Omit<NewBlueprint, 'values'>,
  number: number | undefined,
  environments: readonly string[] = [],
): Blueprint => ({
  ...{ projectId, id, type, number, description, environments },
  ...{ createdAt, createdBy, lastUpdatedAt, lastUpdatedBy },
});

/** Writes the version behind the last one: values of the same keys hold no longer. */
const writeVersion = async (
  db: Knex,
  next: EmptyBlueprint,
  number: number,
  {
    closes,
    values,
  }: { readonly closes: readonly string[]; readonly values: readonly NewConfigValue[] },
): Promise<Blueprint> => {
  const made = { ...next, type: 'blueprint' as const };
  await writeBlueprint(db, made, number);
  if (closes.length > 0)
    await openValues(db, next.projectId)
      .whereIn('name_key', [...closes])
      .update({ closed_by: number });
  await writeValues(db, next, number, values);
  await requireSize(db, next.projectId);
  return withoutValues(made, number);
};

const pointAt = async (
  { db, ids }: Pick<Connection, 'db' | 'ids'>,
  { projectId, name }: { readonly projectId: string; readonly name: string },
  blueprintId: string,
  { at, userName }: { readonly at: number; readonly userName: string },
): Promise<void> => {
  const active = keyOf(projectId, name);
  const held = (await db('agent_config_environments')
    .select('blueprint_id')
    .where({ active_key: active })
    .first()) as Row | undefined; // the column named
  if (held !== undefined && String(held['blueprint_id']) === blueprintId) return;
  await db('agent_config_environments')
    .where({ active_key: active })
    .update({ active_key: null, ended_at: at });
  await db('agent_config_environments').insert({
    project_id: projectId,
    id: ids.next(),
    name,
    active_key: active,
    blueprint_id: blueprintId,
    created_at: at,
    created_by: userName,
    ended_at: null,
  });
};

const requireFewEnvironments = async (db: Knex, projectId: string): Promise<void> => {
  const [count] = await db('agent_config_environments')
    .where({ project_id: projectId })
    .whereNull('ended_at')
    .count({ n: '*' });
  if (Number(count?.['n']) > mostConfigEnvironments)
    throw new Failure(
      'conflict',
      `a configuration has at most ${mostConfigEnvironments} environments`,
    );
};

const readAll = async (
  db: Knex,
  query: Knex.QueryBuilder,
): Promise<readonly (readonly [Blueprint, Row])[]> => {
  const rows = (await query.select(...blueprintColumns)) as readonly Row[]; // the columns named
  const projects = new Map<string, string[]>();
  for (const row of rows) {
    const projectId = String(row['project_id']);
    projects.set(projectId, [...(projects.get(projectId) ?? []), String(row['id'])]);
  }
  const names = new Map<string, string[]>();
  for (const [projectId, ids] of projects) {
    const held = (await db('agent_config_environments')
      .select('blueprint_id', 'name')
      .where({ project_id: projectId })
      .whereNull('ended_at')
      .whereIn('blueprint_id', ids)) as readonly Row[]; // the columns named
    for (const row of held) {
      const of = `${projectId} ${String(row['blueprint_id'])}`;
      names.set(of, [...(names.get(of) ?? []), String(row['name'])]);
    }
  }
  return rows.map((row) => {
    const of = names.get(`${String(row['project_id'])} ${String(row['id'])}`) ?? [];
    return [toBlueprint(row, of.sort()), row] as const;
  });
};

type Writing = Pick<
  AgentConfigStore,
  'create' | 'add' | 'removeKeys' | 'follow' | 'setEnvironments' | 'endEnvironment'
>;

const writing = (connection: Connection): Writing => {
  const keysOf = (values: readonly ConfigValue[]) => values.map(({ key }) => keyOf(key));
  return {
    create: (configId, { values, ...first }, environment) =>
      inTransaction(
        connection,
        async ({ db, ids }) => {
          if ((await lock(db, first.projectId)) !== undefined)
            throw new Failure('conflict', 'the project has a configuration already');
          await requireFreshId(db, first);
          await db('agent_configs').insert({
            project_id: first.projectId,
            id: configId,
            blueprint_count: 1,
          });
          await writeVersion(db, first, 1, { closes: [], values });
          await pointAt({ db, ids }, { projectId: first.projectId, name: environment }, first.id, {
            at: first.createdAt,
            userName: first.createdBy,
          });
          return withoutValues(first, 1, [environment]);
        },
        { overtaken: true },
      ),
    add: ({ values, ...next }) =>
      inTransaction(
        connection,
        async ({ db }) => {
          const count = await lock(db, next.projectId);
          if (count === undefined) return undefined;
          await requireFreshId(db, next);
          if (next.type === 'blueprint')
            return writeVersion(db, next, count + 1, { closes: keysOf(values), values });
          await writeBlueprint(db, next, undefined);
          await writeValues(db, next, undefined, values);
          return withoutValues(next, undefined);
        },
        { overtaken: true },
      ),
    removeKeys: (keys, next) =>
      inTransaction(
        connection,
        async ({ db }) => {
          const count = await lock(db, next.projectId);
          if (count === undefined) return undefined;
          const closes = keys.map((key) => keyOf(key));
          const held = await openValues(db, next.projectId)
            .select('place')
            .whereIn('name_key', closes)
            .first<Row | undefined>();
          if (held === undefined) return undefined;
          await requireFreshId(db, next);
          return writeVersion(db, next, count + 1, { closes, values: [] });
        },
        { overtaken: true },
      ),
    follow: ({ promptId, number, commit }, next) =>
      inTransaction(
        connection,
        async ({ db }) => {
          const count = await lock(db, next.projectId);
          if (count === undefined) return undefined;
          const held = (await openValues(db, next.projectId)
            .select(...valueColumns)
            .where({ prompt_id: promptId })
            .where('prompt_number', '<', number)
            .orderBy(['set_by', 'place'])) as readonly Row[]; // the columns named
          if (held.length === 0) return undefined;
          const values = held.map((row) => ({
            ...toValue(row),
            value: commit,
            follows: { promptId, number },
          }));
          return writeVersion(db, next, count + 1, { closes: keysOf(values), values });
        },
        { overtaken: true },
      ),
    setEnvironments: (projectId, environments, by) =>
      inTransaction(
        connection,
        async ({ db, ids }) => {
          if ((await lock(db, projectId)) === undefined) return false;
          const wanted = [...new Set(environments.map(({ blueprintId }) => blueprintId))];
          if (!wanted.every(isId)) return false;
          const found = (await db('agent_blueprints')
            .select('id')
            .where({ project_id: projectId, type: 'blueprint' })
            .whereIn('id', wanted)) as readonly Row[]; // the column named
          if (found.length < wanted.length) return false;
          for (const { name, blueprintId } of environments)
            await pointAt({ db, ids }, { projectId, name }, blueprintId, by);
          await requireFewEnvironments(db, projectId);
          return true;
        },
        { overtaken: true },
      ),
    async endEnvironment(projectId, name, at) {
      await connection
        .db('agent_config_environments')
        .where({ active_key: keyOf(projectId, name) })
        .update({ active_key: null, ended_at: at });
    },
  };
};

export const agentConfigStore = (connection: Connection): AgentConfigStore => {
  const { db } = connection;
  const blueprints = () => db('agent_blueprints as b');
  const ofProject = (projectId: string) => blueprints().where('b.project_id', projectId);
  const first = async (query: Knex.QueryBuilder): Promise<Blueprint | undefined> =>
    (await readAll(db, query.limit(1)))[0]?.[0];
  return {
    ...writing(connection),
    async listFollowers({ workspaceId, promptId, number }, afterProjectId, limit) {
      const rows = (await db('agent_config_values as v')
        .join('projects as p', 'p.id', 'v.project_id')
        .distinct('v.project_id')
        .where({ 'v.prompt_id': promptId, 'v.closed_by': open, 'p.workspace_id': workspaceId })
        .where('v.prompt_number', '<', number)
        .whereNull('p.deleted_at')
        .modify((query) => {
          if (afterProjectId !== undefined) query.where('v.project_id', '>', afterProjectId);
        })
        .orderBy('v.project_id')
        .limit(limit)) as readonly Row[]; // the column named
      return rows.map((row) => String(row['project_id']));
    },
    exists: async (projectId) =>
      (await db('agent_configs').select('id').where({ project_id: projectId }).first()) !==
      undefined,
    async find(workspaceId, id): Promise<PlacedBlueprint | undefined> {
      if (!isId(id)) return undefined;
      const [found] = await readAll(
        db,
        blueprints()
          .join('projects as p', 'p.id', 'b.project_id')
          .where({ 'b.id': id, 'p.workspace_id': workspaceId })
          .whereNull('p.deleted_at')
          .orderBy('b.project_id')
          .limit(1),
      );
      return found && { ...found[0], workspaceId };
    },
    async findIn(projectId, by) {
      if (by === 'newest')
        return first(ofProject(projectId).whereNotNull('b.number').orderBy('b.number', 'desc'));
      if ('number' in by) return first(ofProject(projectId).where('b.number', by.number));
      if ('id' in by)
        return isId(by.id) ? first(ofProject(projectId).where('b.id', by.id)) : undefined;
      return first(
        ofProject(projectId).whereIn(
          'b.id',
          db('agent_config_environments')
            .select('blueprint_id')
            .where({ active_key: keyOf(projectId, by.environment) }),
        ),
      );
    },
    async listDeltas(projectId, ids) {
      const some = [...new Set(ids)].filter(isId);
      const values = () =>
        db('agent_config_values').where({ project_id: projectId }).whereIn('blueprint_id', some);
      const [size] = (await values().select({ bytes: db.raw('sum(bytes)') })) as readonly Row[]; // one row of one column
      requireRoom(Number(size?.['bytes'] ?? 0));
      const rows = (await values()
        .select('blueprint_id', ...valueColumns)
        .orderBy(['blueprint_id', 'place'])) as readonly Row[]; // the columns named
      const found = new Map<string, ConfigValue[]>(some.map((id) => [id, []]));
      for (const row of rows) found.get(String(row['blueprint_id']))?.push(toValue(row));
      return found;
    },
    async listValues(projectId, number) {
      const rows = (await db('agent_config_values')
        .select(...valueColumns)
        .where({ project_id: projectId })
        .where('set_by', '<=', number)
        .where('closed_by', '>', number)
        .orderBy(['set_by', 'place'])
        .limit(mostConfigKeys)) as readonly Row[]; // the columns named
      return rows.map(toValue);
    },
    async page(projectId, { page, size }) {
      const config = (await db('agent_configs')
        .select('blueprint_count')
        .where({ project_id: projectId })
        .first()) as Row | undefined; // the column named
      const total = Number(config?.['blueprint_count'] ?? 0);
      const last = total - (page - 1) * size;
      const found =
        last <= 0
          ? []
          : await readAll(
              db,
              ofProject(projectId)
                .where('b.number', '<=', last)
                .orderBy('b.number', 'desc')
                .limit(size),
            );
      return { total, content: found.map(([one]) => one) };
    },
  };
};
