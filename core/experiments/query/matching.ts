// Queries of pages, in which the names of runs may be matched by a regular expression besides: it is matched here, over the names, and the database is asked for the runs that were found.
import type { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import type { NamePatterns } from '#ports/name-patterns';
import type { Condition } from '#ports/query';
import type { RunPosition, RunSelection, RunTableStore } from '#ports/storage/run-table';
import { translatePredicates, translateRulesTree } from './translate.js';

/** Patterns of one query, and names that they are matched with, at most. */
const [mostPatterns, mostNames] = [5, 100_000];
const namesAtOnce = 1000;
/** How long the names of one query may be matched, and how long that may go on without letting others have their turn, in ms. */
const [mostMs, pieceMs] = [2000, 10];

const everything: Condition = { type: 'all', of: [] };

interface Needs {
  readonly runTable: Pick<RunTableStore, 'page'>;
  readonly patterns: NamePatterns;
  readonly clock: Clock;
}

/** The runs whose names each of the patterns finds, in their first 500 characters. */
const findMatching = async (
  { runTable, patterns, clock }: Needs,
  selection: Omit<RunSelection, 'condition'>,
  wanted: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Condition>> => {
  const found = await Promise.all(
    [...wanted].map(async (pattern) => ({
      pattern,
      matches: await patterns.compile(pattern),
      ids: [] as string[],
    })),
  );
  let [looked, spentMs, began] = [0, 0, 0];
  /** Ends a piece of the work: throws where it took too long by now. */
  const pass = async (): Promise<void> => {
    spentMs += clock.now() - began;
    if (spentMs > mostMs)
      throw new Failure(
        'invalid',
        `matching the names of this project takes longer than ${mostMs / 1000} s: ask for a simpler regular expression`,
      );
    await new Promise((next) => setImmediate(next));
    selection.signal?.throwIfAborted();
    began = clock.now();
  };
  for (let after: RunPosition | undefined; ;) {
    const page = await runTable.page({
      ...selection,
      condition: everything,
      sort: [],
      columns: [{ kind: 'metadata', name: 'name' }],
      limit: namesAtOnce,
      uncounted: true,
      ...(after === undefined ? {} : { after }),
    });
    looked += page.ids.length;
    if (looked > mostNames)
      throw new Failure(
        'invalid',
        `a regular expression is matched with at most ${mostNames} names, and this project has more`,
      );
    const names = page.columns[0]?.cells ?? [];
    began = clock.now();
    for (const [at, id] of page.ids.entries())
      for (const { matches, ids } of found) {
        if (matches(String(names[at] ?? ''))) ids.push(id);
        if (clock.now() - began > pieceMs) await pass();
      }
    spentMs += clock.now() - began;
    after = page.next;
    if (after === undefined) break;
  }
  return new Map(found.map(({ pattern, ids }) => [pattern, { type: 'among', ids }]));
};

/**
 * The condition of a page's query: a list of predicates, or a tree of rules, of which those about `Name` may say `matches` or `not_matches`. Rejects
 * with `invalid` as `translateRulesTree` does, and for a pattern that is refused; nothing is read then.
 */
export const readPageQuery = async (
  needs: Needs,
  selection: Omit<RunSelection, 'condition'>,
  query: unknown,
): Promise<Condition> => {
  if (Array.isArray(query)) return translatePredicates(query);
  const wanted = new Set<string>();
  const read = translateRulesTree(query, (pattern) => {
    wanted.add(pattern);
    return everything;
  });
  if (wanted.size === 0) return read;
  if (wanted.size > mostPatterns)
    throw new Failure('invalid', `a query has at most ${mostPatterns} regular expressions`);
  const matched = await findMatching(needs, selection, wanted);
  return translateRulesTree(query, (pattern) => matched.get(pattern) ?? everything);
};
