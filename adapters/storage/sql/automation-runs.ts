// The queue of what waits to be scored by rules, and the logs of rules.
import type { Knex } from 'knex';
import {
  scopeOfType,
  type AutomationLog,
  type AutomationRun,
  type RuleType,
} from '#ports/model/automations';
import type { TracedKind } from '#ports/model/traces';
import { mostLogs, type AutomationRunStore, type RuleSample } from '#ports/storage/automations';
import { jsonIn, textIn, type Row } from './authorship.js';
import type { KnownRule, RuleMemory } from './automation-memory.js';
import { idOf, inTransaction, isTrue, type Connection } from './connection.js';
import { isId } from './ids.js';
import { inOnePiece } from './one-piece.js';

const rowsAtOnce = 1000;

interface Waiting {
  readonly projectId: string;
  readonly kind: TracedKind;
  readonly entityId: string;
  readonly ruleId: string | undefined;
  readonly asked: boolean;
}

/** The same thing for the same rule is one row. */
const toRow = (
  { db, dialect }: Connection,
  { projectId, kind, entityId, ruleId, asked }: Waiting,
  delayMs: number,
) => ({
  id: idOf('automation run', projectId, kind, entityId, ruleId ?? ''),
  project_id: projectId,
  entity_kind: kind,
  entity_id: entityId,
  rule_id: ruleId ?? null,
  asked,
  tries: 0,
  queued_at: db.raw(dialect.nowMs),
  due_at: db.raw(`${dialect.nowMs} + ?`, [Math.round(delayMs)]),
  holder: '',
});

/** What is changed of what waits already. */
const waitsAnew = ['asked', 'tries', 'queued_at', 'due_at', 'holder'] as const;

const put = async (connection: Connection, waiting: readonly Waiting[], delayMs: number) => {
  const rows = waiting
    .map((one) => toRow(connection, one, delayMs))
    .sort((one, other) => (one.id < other.id ? -1 : 1)); // in one order, whoever puts them
  for (let at = 0; at < rows.length; at += rowsAtOnce)
    await connection
      .db('automation_runs')
      .insert(rows.slice(at, at + rowsAtOnce))
      .onConflict('id')
      .merge([...waitsAnew]);
};

/**
 * Puts things in the queue before they are stored, for all rules. Where the engine takes a transaction as one message it does not wait for the disk: what
 * is committed after it, as the things themselves are, takes it along, and without them nothing of it is needed.
 */
const putAhead = async (connection: Connection, waiting: readonly Waiting[], delayMs: number) => {
  const { dialect, inTransaction: isInside } = connection;
  const { pipelined } = dialect;
  if (pipelined === undefined || isInside || waiting.length > rowsAtOnce) {
    await put(connection, waiting, delayMs);
    return;
  }
  if (waiting.length === 0) return;
  const rows = waiting
    .map(({ projectId, kind, entityId }) => ({
      id: idOf('automation run', projectId, kind, entityId, ''),
      ...{ projectId, kind, entityId },
    }))
    .sort((one, other) => (one.id < other.id ? -1 : 1)); // as `put` has them
  const { select, bindings } = pipelined.given([
    { name: 'id', kind: 'id', values: rows.map(({ id }) => id) },
    { name: 'project_id', kind: 'id', values: rows.map(({ projectId }) => projectId) },
    { name: 'entity_kind', kind: 'text', values: rows.map(({ kind }) => kind) },
    { name: 'entity_id', kind: 'id', values: rows.map(({ entityId }) => entityId) },
  ]);
  const conflict = dialect.onConflict(
    ['id'],
    waitsAnew.map((name) => `${name} = ${dialect.incoming(name)}`),
  );
  await inOnePiece(connection, pipelined, (db) => [
    () => dialect.run(db, pipelined.durableWithNext, []),
    () =>
      dialect.run(
        db,
        `insert into automation_runs (id, project_id, entity_kind, entity_id, asked, tries, queued_at, due_at, holder) select g.id, g.project_id, g.entity_kind, g.entity_id, false, 0, ${dialect.nowMs}, ${dialect.nowMs} + ${Math.round(delayMs)}, '' from (${select}) g ${conflict}`,
        bindings,
      ),
  ]);
};

const rulesOf = async (db: Knex, projectId: string): Promise<readonly KnownRule[]> => {
  const rows = (await db('automation_rule_projects as l')
    .join('automation_rules as r', 'r.id', 'l.rule_id')
    .where({ 'l.project_id': projectId, 'r.enabled': true })
    .select('r.id', 'r.name', 'r.type', 'r.sampling_rate')) as readonly Row[]; // the columns named
  return rows.map((row) => ({
    id: String(row['id']),
    name: String(row['name']),
    kind: scopeOfType[String(row['type']) as RuleType], // as it was written
    samplingRate: Number(row['sampling_rate']),
  }));
};

/** Lines about what a rule is not to look at: the last of a batch. */
const mostLeftOut = 20;

const toRun = (row: Row): AutomationRun => ({
  id: String(row['id']),
  projectId: String(row['project_id']),
  kind: String(row['entity_kind']) as AutomationRun['kind'], // as it was written
  entityId: String(row['entity_id']),
  ruleId: textIn(row, 'rule_id'),
  asked: isTrue(row['asked']),
  tries: Number(row['tries']) + 1,
  ageMs: Math.max(0, Number(row['age'])),
});

const toLog = (row: Row): AutomationLog => ({
  ruleId: String(row['rule_id']),
  id: String(row['id']),
  at: Number(row['at']),
  level: String(row['level']) as AutomationLog['level'], // as it was written
  message: String(row['message']),
  markers: jsonIn<AutomationLog['markers']>(row, 'markers') ?? {},
});

/** Removes what is older than the newest lines of a log. */
const trim = async ({ db }: Connection, ruleId: string): Promise<void> => {
  const last = (await db('automation_logs')
    .select('id')
    .where({ rule_id: ruleId })
    .orderBy('id', 'desc')
    .offset(mostLogs)
    .first()) as Row | undefined; // the column named
  if (last !== undefined)
    await db('automation_logs')
      .where({ rule_id: ruleId })
      .where('id', '<=', String(last['id']))
      .delete();
};

export const automationRunStore = (
  connection: Connection,
  memory: RuleMemory,
): AutomationRunStore => {
  const { db, dialect, ids } = connection;
  const tellLeftOut = async (
    rules: readonly KnownRule[],
    entityIds: readonly string[],
    sample: RuleSample,
  ): Promise<void> => {
    // One rule at a time, so that a batch costs the same however many rules there are.
    const rule = entityIds.length === 0 ? undefined : rules.find(({ id }) => memory.mayTell(id));
    if (rule === undefined) return;
    const lines = entityIds.slice(-mostLeftOut).map((entityId) => {
      const { level, message, markers } = sample.lineOf(rule, entityId);
      return {
        ...{ rule_id: rule.id, id: ids.next(), at: db.raw(`(${dialect.nowMs}) * 1000`) },
        ...{ level, message, markers: JSON.stringify(markers) },
      };
    });
    await db('automation_logs').insert(lines);
    if (memory.mayTrim(rule.id, lines.length)) await trim(connection, rule.id);
  };
  const write = async (into: Knex, lines: readonly AutomationLog[]): Promise<void> => {
    if (lines.length === 0) return;
    await into('automation_logs').insert(
      lines.map(({ ruleId, id, at, level, message, markers }) => ({
        rule_id: ruleId,
        ...{ id, at, level, message },
        markers: JSON.stringify(markers),
      })),
    );
  };
  const makeRoom = async (lines: readonly AutomationLog[]): Promise<void> => {
    const added = new Map<string, number>();
    for (const { ruleId } of lines) added.set(ruleId, (added.get(ruleId) ?? 0) + 1);
    for (const [ruleId, count] of added)
      if (memory.mayTrim(ruleId, count)) await trim(connection, ruleId);
  };
  /** Changes what was claimed, with lines about it, or does neither where the holder lost it. */
  const ending = async (
    lines: readonly AutomationLog[],
    change: (inside: Connection) => Promise<boolean>,
  ): Promise<boolean> => {
    const held = await inTransaction(connection, async (inside) => {
      const changed = await change(inside);
      if (changed) await write(inside.db, lines);
      return changed;
    });
    if (held) await makeRoom(lines);
    return held;
  };
  return {
    async enqueue(projectId, kind, entityIds, delayMs, sample) {
      const rules = await memory.rulesOf(projectId, () => rulesOf(db, projectId));
      const about = rules.filter((rule) => rule.kind === kind);
      const hasThreads = kind === 'trace' && rules.some((rule) => rule.kind === 'thread');
      if (about.length === 0 && !hasThreads) return;
      const all = [...new Set(entityIds)].filter(isId);
      const isWanted = (entityId: string): boolean =>
        sample === undefined || hasThreads || about.some((rule) => sample.holds(rule, entityId));
      const wanted = new Set(all.filter(isWanted));
      const leftOut = async (): Promise<void> => {
        const others = all.filter((entityId) => !wanted.has(entityId));
        if (sample !== undefined) await tellLeftOut(about, others, sample);
      };
      const waiting = [...wanted].map((entityId) => ({
        ...{ projectId, kind, entityId, ruleId: undefined, asked: false },
      }));
      await Promise.all([leftOut(), putAhead(connection, waiting, delayMs)]);
    },
    async enqueueFor(projectId, kind, entityIds, ruleIds) {
      const [things, rules] = [new Set(entityIds), new Set(ruleIds)];
      for (const ruleId of [...rules].filter(isId))
        await put(
          connection,
          [...things]
            .filter(isId)
            .map((entityId) => ({ projectId, kind, entityId, ruleId, asked: true })),
          0,
        );
    },
    async claim(holder, limit, ms, notOf = []) {
      const due = (of: Knex): Knex.QueryBuilder => {
        const query = of('automation_runs').where('due_at', '<=', of.raw(dialect.nowMs));
        return notOf.length > 0 ? query.whereNotIn('project_id', [...notOf]) : query;
      };
      // Mostly nothing is, which takes no transaction to find out.
      if ((await due(db).limit(1).select('id')).length === 0) return [];
      return inTransaction(connection, async ({ db: inside }) => {
        const query = due(inside)
          .orderBy(['due_at', 'id'])
          .limit(limit)
          .select('id', 'project_id', 'entity_kind', 'entity_id', 'rule_id', 'asked', 'tries', {
            age: inside.raw(`${dialect.nowMs} - queued_at`),
          })
          .forUpdate();
        const rows = (await query) as readonly Row[]; // the columns named
        if (rows.length > 0)
          await inside('automation_runs')
            .whereIn(
              'id',
              rows.map((row) => String(row['id'])),
            )
            .update({
              holder,
              tries: inside.raw('tries + 1'),
              // Until then nobody else finds it due.
              due_at: inside.raw(`${dialect.nowMs} + ?`, [ms]),
            });
        return rows.map(toRun);
      });
    },
    choose: (holder, { id, projectId, kind, entityId }, ruleIds, lines = []) =>
      ending(lines, async (inside) => {
        const gone = await inside.db('automation_runs').where({ id, holder }).delete();
        if (gone === 0) return false;
        await put(
          inside,
          ruleIds.map((ruleId) => ({ projectId, kind, entityId, ruleId, asked: false })),
          0,
        );
        return true;
      }),
    async finish(holder, id, lines = []) {
      const drop = async (of: Connection) =>
        (await of.db('automation_runs').where({ id, holder }).delete()) > 0;
      await (lines.length === 0 ? drop(connection) : ending(lines, drop));
    },
    async postpone(holder, id, delayMs, counts, lines = []) {
      const giveBack = async ({ db: of }: Connection) =>
        (await of('automation_runs')
          .where({ id, holder })
          .update({
            holder: '',
            due_at: of.raw(`${dialect.nowMs} + ?`, [Math.round(delayMs)]),
            ...(counts ? {} : { tries: of.raw('tries - 1') }),
          })) > 0;
      await (lines.length === 0 ? giveBack(connection) : ending(lines, giveBack));
    },
    async listLogs(ruleId, limit) {
      if (!isId(ruleId)) return [];
      const rows = (await db('automation_logs')
        .select('rule_id', 'id', 'at', 'level', 'message', 'markers')
        .where({ rule_id: ruleId })
        .orderBy('id', 'desc')
        .limit(limit)) as readonly Row[]; // the columns named
      return rows.map(toLog);
    },
  };
};
