// Statements of people over what was logged. An adapter gives its engine nothing but the rows of the scope, or bounds it as surely.
import { port } from './port.js';

/** Whose rows a statement sees. */
export interface AnalyticsScope {
  readonly workspaceId: string;
  /** Narrows traces, spans, feedback scores and threads to one project; experiments, their items and items of datasets are always those of the workspace. */
  readonly projectId?: string;
  /** Which tables there are; all of them where left out. */
  readonly tables?: readonly AnalyticTable[];
}

export const analyticTables = [
  'traces',
  'spans',
  'feedback_scores',
  'authored_feedback_scores',
  'trace_threads',
  'experiments',
  'experiment_items',
  'dataset_items',
] as const;
export type AnalyticTable = (typeof analyticTables)[number];

export interface AnalyticsLimits {
  /** Rows of the result; one more is refused. */
  readonly rows: number;
  /** How long all of it may take, in ms. */
  readonly timeMs: number;
  /** Bytes of the result's texts. */
  readonly bytes: number;
}

/** Values as texts, in the order of the columns. */
export interface AnalyticsResult {
  readonly columns: readonly string[];
  /** What the texts of each column are; an engine that does not know leaves it out, and they count as texts. */
  readonly types?: readonly ('number' | 'text')[];
  readonly rows: readonly (readonly (string | null)[])[];
}

/** What values of a column of a given table are: `time` is whole ms since the epoch, a TIMESTAMP in UTC to the statement. */
export type GivenType = 'text' | 'real' | 'whole' | 'flag' | 'time';
export interface GivenColumn {
  readonly name: string;
  readonly type: GivenType;
}

/** Rows of a given table, as columns side by side in the order of the table's. */
export interface GivenRows {
  readonly count: number;
  /** Of each column `count` values; null and undefined are missing. */
  readonly columns: readonly (readonly (string | number | boolean | null | undefined)[])[];
  /** The part of each row, from 0 on; all are in the first one where it is left out. */
  readonly parts?: readonly number[] | undefined;
}

/** What a statement names. */
export interface NamedColumns {
  /** Every name in the statement that may be one of a column, as it is written. */
  readonly names: ReadonlySet<string>;
  /** Whether it reads all columns, whatever they are called. */
  readonly all: boolean;
}

/** A table that a statement is given by its caller. */
export interface GivenTable {
  /** In lower case. */
  readonly name: string;
  /** Asked once, and only where the statement reads the table: the columns that it then has, and its rows. No two columns have names that differ by case alone. */
  open(named: NamedColumns): {
    readonly columns: readonly GivenColumn[];
    readonly rows: AsyncIterable<GivenRows>;
  };
}

/** All that a statement sees. */
export interface GivenTables {
  /** The workspace on whose behalf it runs: one has so many statements at once. */
  readonly workspaceId: string;
  readonly tables: readonly GivenTable[];
  /** The statement runs for each of so many parts, with the rows of that part alone; 1 where left out. */
  readonly parts?: number;
}

export interface GivenLimits extends AnalyticsLimits {
  /** Rows that are taken from the tables at most, and about how many bytes of their values; an engine may take fewer. */
  readonly rowsRead: number;
  readonly bytesRead: number;
}

/** Statements over tables that whoever asks brings along, and nothing that is stored: a plugin may have it without seeing anything of others. */
export interface GivenAnalytics {
  /**
   * Runs one SELECT, which may begin with WITH, over the given tables alone, and answers a result for each part; `limits.rows` and `limits.bytes` hold for each of them. Rejects as
   * `Analytics.query` does, and with `invalid` in a sentence where the tables have more rows or bytes than are taken; with what reading the rows rejects with. Ends when the signal aborts. May be
   * repeated.
   */
  queryGiven(
    statement: string,
    given: GivenTables,
    limits: GivenLimits,
    signal: AbortSignal,
  ): Promise<readonly AnalyticsResult[]>;
}
export const GivenAnalytics = port<GivenAnalytics>('given-analytics');

export interface Analytics extends GivenAnalytics {
  /**
   * Runs one SELECT, which may begin with WITH. Rejects with `invalid` for whatever is not one, names what is not granted, breaks a limit or fails
   * in the engine, without any of the engine's own words; with `unavailable` when there is no answer, or too many wait; with `unsupported` where
   * no engine is installed. Ends when the signal aborts. May be repeated.
   */
  query(
    statement: string,
    scope: AnalyticsScope,
    limits: AnalyticsLimits,
    signal: AbortSignal,
  ): Promise<AnalyticsResult>;
}
export const Analytics = port<Analytics>('analytics');
