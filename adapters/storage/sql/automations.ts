// The store of rules that score what is logged.
import type { Knex } from 'knex';
import {
  ruleTypes,
  scopeOfType,
  type AutomationRule,
  type RuleCode,
  type RuleFilter,
  type RuleType,
} from '#ports/model/automations';
import { mostRules, type AutomationStore, type RuleListing } from '#ports/storage/automations';
import type { RuleMemory } from './automation-memory.js';
import { authorshipColumns, authorshipRow, jsonIn, toAuthorship, type Row } from './authorship.js';
import { whereHolds, inTransaction, isTrue, refuseTaken, type Connection } from './connection.js';
import { filtered, pageOf } from './field-listing.js';
import { idField, numberField, textField, type FieldSources } from './field-query.js';
import { isId } from './ids.js';
import { requireRoomFor } from './workspace-lock.js';

const columns = [
  'id',
  'workspace_id',
  'type',
  'name',
  'sampling_rate',
  'enabled',
  'filters',
  'code',
  ...authorshipColumns,
];

type Projects = AutomationRule['projects'];
const toRule = (row: Row, projects: Projects): AutomationRule => ({
  workspaceId: String(row['workspace_id']),
  id: String(row['id']),
  projects,
  type: String(row['type']) as RuleType, // as it was written
  name: String(row['name']),
  samplingRate: Number(row['sampling_rate']),
  enabled: isTrue(row['enabled']),
  filters: jsonIn<readonly RuleFilter[]>(row, 'filters') ?? [],
  code: JSON.parse(String(row['code'])) as RuleCode, // likewise
  ...toAuthorship(row),
});

type Written = Parameters<AutomationStore['insert']>[0];
const changing = (rule: Written): Row => ({
  name: rule.name,
  sampling_rate: rule.samplingRate,
  enabled: rule.enabled,
  filters: JSON.stringify(rule.filters),
  code: JSON.stringify(rule.code),
});

const flagWord = "case when enabled then 'true' else 'false' end";
const sources: FieldSources = {
  id: idField('id'),
  name: textField('name'),
  type: textField('type'),
  enabled: textField(flagWord),
  sampling_rate: numberField('sampling_rate'),
  created_at: numberField('created_at'),
  created_by: textField('created_by'),
  last_updated_at: numberField('last_updated_at'),
  last_updated_by: textField('last_updated_by'),
};

/** The links of rules to projects that are not deleted. */
const links = (db: Knex): Knex.QueryBuilder =>
  db('automation_rule_projects as l')
    .join('projects as p', 'p.id', 'l.project_id')
    .whereNull('p.deleted_at');

const standing = (db: Knex, workspaceId: string): Knex.QueryBuilder =>
  db('automation_rules')
    .where({ workspace_id: workspaceId })
    .whereExists(links(db).select(db.raw('1')).whereRaw('l.rule_id = automation_rules.id'));

const listed = (
  { db, dialect }: Connection,
  { workspaceId, projectId, onlyProjectId, id, name, filters }: RuleListing,
): Knex.QueryBuilder => {
  const query = standing(db, workspaceId);
  const linked = (compare: '=' | '<>', project: string) =>
    links(db)
      .select(db.raw('1'))
      .whereRaw('l.rule_id = automation_rules.id')
      .where('l.project_id', compare, project);
  for (const project of [projectId, onlyProjectId])
    if (project !== undefined)
      if (isId(project)) query.whereExists(linked('=', project));
      else query.whereRaw('1 = 0');
  if (onlyProjectId !== undefined && isId(onlyProjectId))
    query.whereNotExists(linked('<>', onlyProjectId));
  if (id !== undefined) query.modify(whereHolds(dialect, id, dialect.idAsText('id')));
  if (name !== undefined) query.modify(whereHolds(dialect, name, 'name'));
  return query.modify(filtered(dialect, sources, filters));
};

const projectsOf = async (
  { db }: Connection,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Projects>> => {
  const rows = (await links(db)
    .whereIn('l.rule_id', ids)
    .select('l.rule_id', 'l.project_id', 'p.name')
    .orderBy(['l.rule_id', 'l.project_id'])) as readonly Row[]; // the columns named
  const projects = new Map<string, { readonly id: string; readonly name: string }[]>();
  for (const row of rows) {
    const ruleId = String(row['rule_id']);
    const own = projects.get(ruleId) ?? [];
    projects.set(ruleId, own);
    own.push({ id: String(row['project_id']), name: String(row['name']) });
  }
  for (const own of projects.values())
    own.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return projects;
};

const read = async (connection: Connection, query: Knex.QueryBuilder) => {
  const rows = (await query.select(...columns).orderBy('id')) as readonly Row[]; // the columns named
  if (rows.length === 0) return [];
  const projects = await projectsOf(
    connection,
    rows.map((row) => String(row['id'])),
  );
  return rows.flatMap((row) => {
    const own = projects.get(String(row['id']));
    return own === undefined ? [] : [toRule(row, own)];
  });
};

const link = async (db: Knex, { id, projectIds }: Pick<Written, 'id' | 'projectIds'>) => {
  const wanted = [...new Set(projectIds)].sort();
  if (wanted.length > 0)
    await db('automation_rule_projects').insert(
      wanted.map((project_id) => ({ rule_id: id, project_id })),
    );
};

const few = { table: 'automation_rules', most: mostRules, called: 'automation rules' } as const;

/** Removes rules with all that is theirs. */
const removeRules = async (db: Knex, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return;
  await db('automation_rule_projects').whereIn('rule_id', ids).delete();
  await db('automation_rules').whereIn('id', ids).delete();
  await db('automation_logs').whereIn('rule_id', ids).delete();
};

/** Removes the rules that are of this project and of no other. */
export const removeRulesOfProject = async (
  connection: Connection,
  projectId: string,
): Promise<void> => {
  const { db } = connection;
  const rows = (await db('automation_rule_projects as l')
    .where('l.project_id', projectId)
    .whereNotExists(
      db('automation_rule_projects as o')
        .select(db.raw('1'))
        .whereRaw('o.rule_id = l.rule_id')
        .whereNot('o.project_id', projectId),
    )
    .select('l.rule_id')
    .orderBy('l.rule_id')) as readonly Row[]; // the column named
  for (const row of rows)
    await inTransaction(connection, ({ db: inside }) =>
      removeRules(inside, [String(row['rule_id'])]),
    );
};

/** The greatest texts of a row. */
const bytes = 'octet_length(filters) + octet_length(code)';

export const automationStore = (connection: Connection, memory: RuleMemory): AutomationStore => {
  const { db, dialect } = connection;
  const findMany: AutomationStore['findMany'] = async (workspaceId, ids) => {
    const wanted = ids.filter(isId);
    return wanted.length === 0
      ? []
      : read(connection, standing(db, workspaceId).whereIn('id', wanted));
  };
  return {
    async insert(rule) {
      await inTransaction(connection, async ({ db: inside }) => {
        await requireRoomFor({ db: inside }, rule.workspaceId, few);
        const { id, workspaceId: workspace_id, type } = rule;
        const row = { id, workspace_id, type, ...changing(rule), ...authorshipRow(rule) };
        await refuseTaken(
          dialect,
          'Automation rule already exists',
          inside('automation_rules').insert(row),
        );
        await link(inside, rule);
      });
      memory.forget();
    },
    async find(workspaceId, id) {
      const [found] = await findMany(workspaceId, [id]);
      return found;
    },
    findMany,
    list: (listing) =>
      pageOf(connection, listing, {
        ...{ sources, bytes },
        selected: () => listed(connection, listing),
        read: (ids) => findMany(listing.workspaceId, ids),
      }),
    async listOfProject(projectId, kind) {
      const types = ruleTypes.filter((type) => scopeOfType[type] === kind);
      return read(
        connection,
        db('automation_rules')
          .whereIn('type', types)
          .whereIn(
            'id',
            db('automation_rule_projects').select('rule_id').where({ project_id: projectId }),
          ),
      );
    },
    async replace(rule) {
      const found = await inTransaction(connection, async ({ db: inside }) => {
        const { id, workspaceId: workspace_id, lastUpdatedAt, lastUpdatedBy } = rule;
        if (!isId(id)) return false;
        // Whoever replaces it at the same time waits here, so that the projects are those of one of them.
        const row: unknown = await inside('automation_rules')
          .select('id')
          .where({ id, workspace_id })
          .forUpdate()
          .first();
        if (row === undefined) return false;
        await inside('automation_rules')
          .where({ id })
          .update({
            ...changing(rule),
            last_updated_at: lastUpdatedAt,
            last_updated_by: lastUpdatedBy,
          });
        await inside('automation_rule_projects').where({ rule_id: id }).delete();
        await link(inside, rule);
        return true;
      });
      memory.forget();
      return found;
    },
    async remove(workspaceId, ids) {
      for (const id of ids.filter(isId))
        await inTransaction(connection, async ({ db: inside }) => {
          const row: unknown = await inside('automation_rules')
            .select('id')
            .where({ id, workspace_id: workspaceId })
            .forUpdate()
            .first();
          if (row !== undefined) await removeRules(inside, [id]);
        });
      memory.forget();
    },
  };
};
