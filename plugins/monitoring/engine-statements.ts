// Statements that the language of metrics does not read (windows, subqueries, WITH, further functions): they run on the engine for analytic
// queries, with the events of one model as their only table.
import type {
  AnalyticsResult,
  GivenLimits,
  GivenRows,
  GivenTable,
  GivenType,
  NamedColumns,
} from '#ports/analytics';
import { Failure, isFailure } from '#ports/failure';
import { columnsAmong, columnsOf, compileFilter, type Batch } from './evaluating.js';
import type { Value } from './items.js';
import {
  longestStatement,
  parseMetric,
  parseStatement,
  type Metric,
  type Node,
  type Statement,
} from './language.js';
import type { Field, MonitoredModel } from './models.js';
import type { MonitoringNeeds } from './needs.js';
import { readEvents, type Span } from './reading.js';
import { bucketAt, type Buckets } from './series.js';
import { Turns } from './turns.js';

/** A statement that is left to the engine, and why the language of metrics did not take it. */
export interface EngineStatement {
  readonly sql: string;
  readonly fault: Failure;
}

const statementStart = /^\s*(?:select|with)\b/i;

const orForEngine = <T>(parse: (sql: string) => T, sql: string): T | EngineStatement => {
  try {
    return parse(sql);
  } catch (thrown) {
    if (!isFailure(thrown) || thrown.kind !== 'invalid') throw thrown;
    if (sql.length > longestStatement || !statementStart.test(sql)) throw thrown;
    return { sql, fault: thrown };
  }
};

/** A metric of the language, or a statement for the engine. Throws `invalid` for what is no statement. */
export const readMetric = (sql: string): Metric | EngineStatement => orForEngine(parseMetric, sql);
/** The same of a statement whose rows are asked for. */
export const readStatement = (sql: string): Statement | EngineStatement =>
  orForEngine(parseStatement, sql);
export const isForEngine = (read: object): read is EngineStatement => 'fault' in read;

/** The events that a statement sees: a part of them for each filter and each bucket, filter by filter. */
interface EventsAsked {
  readonly model: Pick<MonitoredModel, 'id' | 'workspaceId'>;
  readonly fields: ReadonlyMap<string, Field>;
  readonly buckets: Buckets;
  readonly version: string | undefined;
  /** All events where one is left out. */
  readonly filters: readonly (Node | undefined)[];
  readonly signal: AbortSignal;
}
type Needs = Pick<MonitoringNeeds, 'tables' | 'ids' | 'analytics'>;

const own: ReadonlySet<string> = new Set(['timestamp', 'model_version', 'prediction_id']);
const mostColumns = 2000;
/** Rows that are handed over at once, about. */
const rowsAtOnce = 20_000;

interface Taken {
  /** As the statement writes it. */
  readonly name: string;
  /** The column of the events that it means. */
  readonly source: string;
  readonly type: GivenType;
}

/** What names of a statement mean: names of the language as there, but for upper and lower case, which the engine does not tell apart. */
const takenBy = (
  { names, all }: NamedColumns,
  fields: ReadonlyMap<string, Field>,
): { readonly taken: readonly Taken[]; readonly unknown: readonly string[] } => {
  const columns = columnsAmong(new Set(fields.keys()));
  const sourceOf = (name: string): string | undefined => {
    try {
      const source = columns(name, 0);
      return own.has(source) || fields.has(source) ? source : undefined;
    } catch (thrown) {
      if (!isFailure(thrown)) throw thrown;
      return undefined; // it may be a name that the statement itself gives
    }
  };
  const found = new Map<string, Taken>();
  const add = (name: string, source: string): void => {
    const other = found.get(name.toLowerCase());
    if (other !== undefined && other.source !== source)
      throw new Failure(
        'invalid',
        `${other.name.slice(0, 60)} and ${name.slice(0, 60)} differ by case alone`,
      );
    const type =
      source === 'timestamp' ? 'time' : fields.get(source)?.numeric === true ? 'real' : 'text';
    if (other === undefined) found.set(name.toLowerCase(), { name, source, type });
  };
  if (all) for (const column of [...own, ...[...fields.keys()].sort()]) add(column, column);
  const unknown: string[] = [];
  for (const name of names) {
    const source = sourceOf(name);
    if (source === undefined) unknown.push(name);
    else add(name, source);
  }
  if (found.size > mostColumns)
    throw new Failure('invalid', `a statement reads at most ${mostColumns} columns: name them`);
  return { taken: [...found.values()], unknown };
};

/** Values as the engine has them: texts among numbers are missing, as they are to the sums of a field. */
const readerOf = (
  batch: Batch,
  { source, type }: Taken,
): ((row: number) => string | number | undefined) => {
  const column = batch.column(source);
  const shown = (value: Value | undefined): string | number | undefined =>
    value === undefined
      ? undefined
      : type === 'text'
        ? String(value)
        : typeof value === 'number'
          ? value
          : undefined;
  return (row) => shown(column(row));
};

/** The table `model` of a statement, and what was seen of it. */
const modelTable = (
  needs: Needs,
  { model, fields, buckets, version, filters, signal }: EventsAsked,
) => {
  const seen = { rows: 0, unknown: [] as readonly string[] };
  const columns = columnsAmong(new Set(fields.keys()));
  const tests = filters.map((filter) => filter && compileFilter(filter, columns));
  const ofFilters = filters.flatMap((filter) => columnsOf(filter, columns));
  const span: Span = { from: buckets.from, to: buckets.to, version };
  async function* rowsOf(taken: readonly Taken[]): AsyncGenerator<GivenRows> {
    const turns = new Turns(signal);
    const empty = () => ({
      parts: [] as number[],
      columns: taken.map((): (string | number | undefined)[] => []),
    });
    let held = empty();
    const handOver = (): GivenRows => {
      const { parts } = held;
      const given = { count: parts.length, ...held };
      seen.rows += parts.length;
      held = empty();
      return given;
    };
    const reads = [...taken.map(({ source }) => source), ...ofFilters];
    for await (const batch of readEvents(needs, model.id, span, signal, reads)) {
      const passes = tests.map((test) => test?.(batch));
      const readers = taken.map((one) => readerOf(batch, one));
      for (let row = 0; row < batch.length; row++) {
        const bucket = bucketAt(buckets, batch.at(row));
        for (let filter = 0; filter < filters.length; filter++) {
          if (passes[filter]?.(row) === false) continue;
          held.parts.push(filter * buckets.starts.length + bucket);
          for (const [at, read] of readers.entries()) held.columns[at]?.push(read(row));
        }
        if (held.parts.length < rowsAtOnce) continue;
        yield handOver();
        await turns.offer();
      }
      await turns.offer();
    }
    if (held.parts.length > 0) yield handOver();
  }
  const table: GivenTable = {
    name: 'model',
    open(named) {
      const { taken, unknown } = takenBy(named, fields);
      seen.unknown = unknown;
      return { columns: taken.map(({ name, type }) => ({ name, type })), rows: rowsOf(taken) };
    },
  };
  return { table, seen };
};

/** What a refusal of the engine tells: what the language said of the statement too, since that names the place. */
const toldOf = (thrown: unknown, fault: Failure, unknown: readonly string[]): unknown => {
  if (!isFailure(thrown)) return thrown;
  if (thrown.kind === 'unsupported')
    return new Failure(
      'unsupported',
      `${fault.message}: the language of metrics does not read this, and ${thrown.message}`,
      { reason: 'notInstalled', cause: thrown },
    );
  if (thrown.kind !== 'invalid') return thrown;
  const [name] = unknown;
  const missing = name === undefined ? '' : ` (the model has no column ${name.slice(0, 60)})`;
  return new Failure(
    'invalid',
    `${thrown.message}${missing}; as a metric of one aggregate: ${fault.message}`,
    { cause: thrown },
  );
};

const [timeMs, rowsRead, bytesRead] = [30_000, 1_000_000, 256 * 1024 * 1024] as const;

/** Runs a statement over each part of the events. Answers its results, filter by filter and bucket by bucket, and how many events it read. */
export const runOnEngine = async (
  needs: Needs,
  { sql, fault }: EngineStatement,
  asked: EventsAsked,
  limits: Pick<GivenLimits, 'rows' | 'bytes'>,
): Promise<{ readonly results: readonly AnalyticsResult[]; readonly events: number }> => {
  const { table, seen } = modelTable(needs, asked);
  const parts = asked.filters.length * asked.buckets.starts.length;
  try {
    const results = await needs.analytics.queryGiven(
      sql,
      { workspaceId: asked.model.workspaceId, tables: [table], parts },
      { ...limits, timeMs, rowsRead, bytesRead },
      asked.signal,
    );
    return { results, events: seen.rows };
  } catch (thrown) {
    throw toldOf(thrown, fault, seen.unknown);
  }
};

const ofOneValue = { rows: 1, bytes: 10_000 } as const;

/** The one number of a result. Throws `invalid` for another one. */
const numberIn = ({ columns, rows }: AnalyticsResult): number | null => {
  if (columns.length !== 1)
    throw new Failure('invalid', `a metric is one value, and not ${columns.length} columns`);
  const text = rows[0]?.[0] ?? null;
  if (text === null || text === 'NaN') return null;
  if (text === 'true' || text === 'false') return Number(text === 'true');
  const found = text.trim() === '' ? NaN : Number(text);
  if (Number.isNaN(found))
    throw new Failure('invalid', `a metric is a number, and not ${text.slice(0, 60)}`);
  return Number.isFinite(found) ? found : null;
};

/** What a metric comes to in each part of the events, and how many of them it read. */
export const metricOnEngine = async (
  needs: Needs,
  statement: EngineStatement,
  asked: EventsAsked,
): Promise<{ readonly values: readonly (number | null)[]; readonly events: number }> => {
  const { results, events } = await runOnEngine(needs, statement, asked, ofOneValue);
  return { values: results.map(numberIn), events };
};

/** A span as one bucket. */
export const asOneBucket = (from: number, to: number): Buckets => ({
  from,
  to,
  widthMs: to - from,
  starts: [from],
});

/** Refuses a metric that the engine does not run; it is tried without an event. */
export const tryMetric = async (
  needs: Needs,
  sql: string,
  model: EventsAsked['model'],
  fields: EventsAsked['fields'],
): Promise<void> => {
  const read = readMetric(sql);
  if (!isForEngine(read)) return;
  await metricOnEngine(needs, read, {
    ...{ model, fields, version: undefined, filters: [undefined] },
    buckets: asOneBucket(0, 1), // nothing is as old
    signal: new AbortController().signal,
  });
};
