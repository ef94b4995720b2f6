// A page of the experiments of which a condition is true, in one of three ways: none of them is good for conditions of every kind.
import type { Knex } from 'knex';
import type { Condition } from '#ports/query';
import type { SearchOptions } from '#ports/storage/search';
import { compileCondition, type Place } from './conditions.js';
import type { Connection } from './connection.js';
import type { Fragment } from '#ports/sql-dialect';
import { both, fragment, joined, unionAll, wrap } from './fragment.js';

const sorting = { startTime: 'start_time', endTime: 'end_time' } as const;
/** How many times as many experiments as a page asks for are walked through at first: more where a walk ends with the last one that is asked for. */
const firstTimes = { lazily: 10, wholly: 4 };
/** How many more than what the first walk lets expect are walked through at the second. */
const margin = 1.5;
/** Experiments walked through at most; beyond, reading all values of a name is less. */
const mostWalked = 2000;
/** Experiments in whose first ones a page is expected, at most, for going through them in their order; beyond, those found are fewer than those gone through. */
const mostSifted = 10_000;

export interface FoundRow {
  readonly id: string;
  readonly key: string;
  readonly start_time: unknown;
}

/**
 * Whether an engine can begin with the experiments found instead of looking at all of the project: knowing about how many they are, which it does
 * of ranges and not of texts that hold something.
 */
const canBegin = (condition: Condition): boolean => {
  switch (condition.type) {
    case 'comparison':
      return (
        condition.operator !== 'contains' &&
        condition.operator !== 'endsWith' &&
        !('ignoreCase' in condition && condition.ignoreCase === true)
      );
    case 'among':
      return true;
    case 'all':
      return condition.of.some(canBegin);
    case 'any':
    case 'not':
      return false;
  }
};

/** Where experiments of a project are found: those at home in it, and those linked into it. */
interface Part {
  readonly from: string;
  readonly where: Fragment;
}
export const partsOf = (projectId: string): readonly [home: Part, links: Part] => [
  { from: 'experiments e', where: fragment('e.project_id = ?', projectId) },
  {
    from: 'experiment_links l join experiments e on e.id = l.experiment_id join projects p on p.id = e.project_id',
    where: fragment(
      'l.project_id = ? and e.project_id <> ? and p.deleted_at is null',
      projectId,
      projectId,
    ),
  },
];

export const findPage = async (
  { db, dialect, clock }: Connection,
  projectId: string,
  condition: Condition,
  { archived, sortBy = 'startTime', ascending = false, offset = 0, limit, signal }: SearchOptions,
): Promise<readonly FoundRow[]> => {
  const now = clock.now();
  const [home, links] = partsOf(projectId);
  const visible = fragment('e.archived = ? and e.deleted_at is null', archived);
  const direction = ascending ? 'asc' : 'desc';
  const time = `e.${sorting[sortBy]}`;
  const wanted = offset + (limit ?? Infinity);
  const compile = (among: Place['among']) => compileCondition({ dialect, among, now }, condition);

  // Ids and times alone as far as possible, which an index of experiments holds.
  const select = ({ from, where }: Part, moment: string, ...asked: readonly Fragment[]) =>
    wrap(
      `select e.id, ${moment} as moment from ${from} where `,
      both(where, visible, ...asked),
      '',
    );
  const cut = (found: Fragment, rows: number) =>
    wrap(
      'select c.id, c.moment from (',
      found,
      `) c order by c.moment ${direction}, c.id ${direction} limit ${rows}`,
    );
  const firstOf = (rows: number, parts: readonly Fragment[]) =>
    unionAll(
      parts.map((part, i) =>
        wrap(
          'select * from (',
          part,
          ` order by ${time} ${direction}, e.id ${direction} limit ${rows}) a${i}`,
        ),
      ),
    );
  const rowsOf = async (
    on: Knex,
    found: Fragment,
    from: 'e' | 'found',
  ): Promise<readonly FoundRow[]> =>
    (await on
      .select(`${from}.id`, `${from}.key`, `${from}.start_time`)
      .from(on.raw(`(${found.sql}) as found`, found.bindings as never)) // knex types bindings more narrowly than drivers take them
      .modify((query) => {
        if (from === 'e') void query.join('experiments as e', 'e.id', 'found.id');
      })
      .orderBy([
        { column: 'found.moment', order: direction },
        { column: 'found.id', order: direction },
      ])) as readonly FoundRow[]; // the columns named above
  const page = (on: Knex, found: Fragment): Promise<readonly FoundRow[]> =>
    rowsOf(
      on,
      limit === undefined && offset === 0
        ? found
        : wrap('', cut(found, limit ?? Number.MAX_SAFE_INTEGER), ` offset ${offset}`),
      'e',
    );

  /** The first experiments of the order, each tested by its own values: where many satisfy the condition. Gives less than the page where they do not fill it. */
  const scanInOrder = (on: Knex, length: number): Promise<readonly FoundRow[]> =>
    rowsOf(
      on,
      joined(
        'select e.id, e.key, e.start_time, w.moment from (',
        cut(firstOf(length, [select(home, time), select(links, time)]), length),
        ') w join experiments e on e.id = w.id where ',
        compile('each'),
        ` order by w.moment ${direction}, w.id ${direction} limit ${limit ?? wanted} offset ${offset}`,
      ),
      'found',
    );
  /** The experiments in their order until the page is full, tested against the values that were found, which are read once: where some satisfy it. */
  const filterByHash = (on: Knex): Promise<readonly FoundRow[]> =>
    page(
      on,
      firstOf(wanted, [
        select(home, time, compile({ home: projectId, tested: true })),
        select(links, time, compile('each')),
      ]),
    );
  /** All that was found, and then its order: where few satisfy it. The time is no column, or an engine would go through the order, expecting to fill the page early. */
  const collectAndSort = (on: Knex): Promise<readonly FoundRow[]> =>
    page(
      on,
      unionAll([
        select(home, `${time} + 0`, compile({ home: projectId, tested: false })),
        select(links, time, compile('each')),
      ]),
    );

  const length = wanted * firstTimes[dialect.walksLazily ? 'lazily' : 'wholly'];
  if (limit === undefined) return dialect.withLargeWorkMem(db, signal, collectAndSort);
  if (length > mostWalked) return dialect.withLargeWorkMem(db, signal, filterByHash);
  const first = await scanInOrder(db, length);
  if (first.length === limit) return first;
  // How long a walk is likely to fill the page.
  const enough = (wanted * length * margin) / (offset + first.length);
  return dialect.withLargeWorkMem(db, signal, async (on) => {
    const again = enough <= mostWalked && !dialect.walksLazily;
    const second = again ? await scanInOrder(on, Math.ceil(enough)) : [];
    if (second.length === limit) return second;
    return enough > mostSifted && canBegin(condition) ? collectAndSort(on) : filterByHash(on);
  });
};
