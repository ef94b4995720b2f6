// What every store is made from, and how a database fault becomes a `Failure`.
import type { Knex } from 'knex';
import { hash } from 'node:crypto';
import type { Clock } from '#ports/clock';
import { Failure, isFailure } from '#ports/failure';
import type { Ids } from '#ports/ids';
import type { Log } from '#ports/log';
import type { Meters } from '#ports/meters';
import type { Dialect, Fragment } from '#ports/sql-dialect';
import { either, fragment } from './fragment.js';
import { asId } from './ids.js';
import { repeatMs } from './limits.js';
import { hasNewerLetters, lowered } from './lower-case.js';

export interface SqlStorageNeeds {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly meters: Meters;
}

export interface Connection extends SqlStorageNeeds {
  /** The pool, or the transaction that the caller drew. */
  readonly db: Knex;
  readonly dialect: Dialect;
  readonly inTransaction: boolean;
}

/** SHA-256 in hex of texts joined so that no two lists give the same: what must be unique is this, never a long text itself. */
export const keyOf = (...texts: readonly string[]): string =>
  hash('sha256', texts.map((text) => `${text.length}:${text}`).join(''), 'hex');

/** A pattern for `dialect.lower(column) like ? escape '!'`: texts that hold this one, in any case. */
export const containing = (text: string): string =>
  `%${lowered(text).replaceAll(/[!%_]/g, '!$&')}%`;

/** Whether a column holds a text, in any case: as it was written also where an engine does not know the case of its letters. */
export const holdsInAnyCase = (dialect: Dialect, column: string, text: string): Fragment => {
  const found = fragment(`${dialect.lower(column)} like ? escape '!'`, containing(text));
  return hasNewerLetters(text) ? either(found, dialect.holdsText(column, 'contains', text)) : found;
};

/** The same for a query. */
export const whereHolds =
  (dialect: Dialect, text: string, ...columns: readonly string[]) =>
  (query: Knex.QueryBuilder): void => {
    const { sql, bindings } = either(
      ...columns.map((column) => holdsInAnyCase(dialect, column, text)),
    );
    query.whereRaw(sql, [...bindings] as Knex.Value[]); // texts
  };

/** The first 16 bytes of that hash in the form of an id, for names that are known without asking. */
export const idOf = (...texts: readonly string[]): string => asId(keyOf(...texts));

export const isTrue = (stored: unknown): boolean => stored === true || stored === 1;
export const orNothing = <T>(stored: T | null | undefined): T | undefined => stored ?? undefined;
export const wholeOrNothing = (stored: unknown): number | undefined =>
  stored === null || stored === undefined ? undefined : Number(stored);

/** Runs an insert and tells a taken key as `conflict` with this sentence. */
export const refuseTaken = async (
  dialect: Dialect,
  sentence: string,
  insert: PromiseLike<unknown>,
): Promise<void> => {
  try {
    await insert;
  } catch (thrown) {
    throw dialect.fault(thrown) === 'conflict'
      ? new Failure('conflict', sentence, { cause: thrown })
      : thrown;
  }
};

const sleep = (ms: number) => new Promise<void>((wake) => setTimeout(wake, ms));

/** How long a database may be away before a request is refused, in ms. */
export const patienceMs = 5000;

const sentences = {
  away: 'the database cannot be reached at the moment',
  full: 'the database has no room left on its disk',
  repeat: 'the database was too busy with conflicting changes',
  slow: 'the database took too long for this',
} as const;

/** What a caller is told of a database fault; defects stay what they are. */
export const failureOf = (dialect: Dialect, thrown: unknown): unknown => {
  if (isFailure(thrown)) return thrown;
  const fault = dialect.fault(thrown);
  if (fault === 'unfit')
    return new Failure('invalid', 'a value does not fit its place', { cause: thrown });
  return fault === 'away' || fault === 'full' || fault === 'repeat' || fault === 'slow'
    ? new Failure('unavailable', sentences[fault], {
        cause: thrown,
        retryAfter: fault === 'full' ? 10 : 5,
      })
    : thrown;
};

/** Faults at which nothing had been sent yet, so that anything may be tried again. */
const neverSent = (thrown: unknown): boolean => {
  const { code, message } = thrown as { code?: unknown; message?: unknown }; // any thrown value can be asked for members, which may be absent
  return (
    code === 'ECONNREFUSED' ||
    code === 'ENOENT' ||
    code === '57P03' ||
    (/timeout exceeded when trying to connect|connect ETIMEDOUT|Connection lost: The server closed the connection\.$/.test(
      String(message),
    ) &&
      code === undefined)
  );
};

/**
 * Does `work`, waiting up to 5 s for a database that is away. What was sent already is tried again only when `repeatable`, since a lost
 * connection does not tell whether it was carried out.
 */
export const withPatience = async <T>(
  dialect: Dialect,
  repeatable: boolean,
  work: () => Promise<T>,
): Promise<T> => {
  const until = performance.now() + patienceMs;
  for (let pause = 50; ; pause = Math.min(pause * 2, 500)) {
    try {
      return await work();
    } catch (thrown) {
      const again =
        dialect.fault(thrown) === 'away' &&
        (repeatable || neverSent(thrown)) &&
        performance.now() + pause < until;
      if (!again) throw failureOf(dialect, thrown);
      await sleep(pause);
    }
  }
};

/** Pauses before what the database asked to repeat is tried again, in ms: about two seconds in all, which fifty writers of one row need on a slow disk. */
const pauses = [5, 10, 20, 40, 80, 120, 160, 200, 240, 280, 320, 360, 400] as const;
/** How often a key may be found taken, and a connection lost, before the caller is told. */
const [overtakings, losses] = [5, 5];
/** From half of a pause to all of it, so that two who collided do not meet again. */
const jittered = (pause: number): number => pause * (0.5 + Math.random() / 2);

/** Does one statement outside a transaction, again when the database asks for it: it was undone as a whole. */
export const repeatStatement = async <T>(dialect: Dialect, work: () => Promise<T>): Promise<T> => {
  const until = performance.now() + repeatMs;
  for (const pause of pauses) {
    try {
      return await work();
    } catch (thrown) {
      if (dialect.fault(thrown) !== 'repeat' || performance.now() > until) throw thrown;
      await sleep(jittered(pause));
    }
  }
  return work();
};

/** The newest thing of a workspace that has exactly this name, also where an engine takes letters or blanks for alike. */
export const newestNamed =
  (dialect: Dialect, workspaceId: string, name: string) =>
  (query: Knex.QueryBuilder): void => {
    query
      .where({ workspace_id: workspaceId, name })
      .whereRaw(dialect.equalTexts('name', '?'), [name])
      .orderBy('id', 'desc');
  };

/** A key was found taken in a part of a transaction that another run of the whole would find there. */
class Overtaken extends Error {}

const faultOf = (dialect: Dialect, thrown: unknown) => {
  if (thrown instanceof Overtaken) return 'repeat';
  return isFailure(thrown) || thrown === undefined ? 'other' : dialect.fault(thrown);
};

/**
 * Runs `work` in one transaction, again when the database asks for it, with pauses of about two seconds in all. With `overtaken`, also when a
 * key is taken: where another node of a cluster does not see a lock, that tells of a writer that came in between;
 * within another transaction, all of that is then run again.
 */
export const inTransaction = async <T>(
  connection: Connection,
  work: (inside: Connection) => Promise<T>,
  { overtaken = false }: { readonly overtaken?: boolean } = {},
): Promise<T> => {
  const { db, dialect } = connection;
  if (connection.inTransaction)
    return work(connection).catch((thrown: unknown) => {
      throw overtaken && !isFailure(thrown) && dialect.fault(thrown) === 'conflict'
        ? new Overtaken('a key was taken meanwhile', { cause: thrown })
        : thrown;
    });
  const until = performance.now() + repeatMs;
  for (let attempt = 0; ; attempt++) {
    let committing = false;
    try {
      return await withPatience(dialect, false, () =>
        db.transaction(async (transaction) => {
          committing = false;
          const result = await work({ ...connection, db: transaction, inTransaction: true });
          committing = true;
          return result;
        }),
      );
    } catch (thrown) {
      const cause = isFailure(thrown) && thrown.kind === 'unavailable' ? thrown.cause : thrown;
      const fault = faultOf(dialect, cause);
      const pause = pauses[attempt];
      const again =
        pause !== undefined &&
        performance.now() < until &&
        (fault === 'repeat' ||
          (attempt < overtakings && fault === 'conflict' && overtaken) ||
          (attempt < losses && fault === 'away' && !committing));
      if (!again)
        throw thrown instanceof Overtaken || (fault === 'conflict' && overtaken)
          ? new Failure('unavailable', sentences.repeat, { cause: thrown, retryAfter: 1 })
          : failureOf(dialect, thrown);
      await sleep(jittered(pause));
    }
  }
};
