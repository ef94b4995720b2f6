import { expect } from 'chai';
import { readPageQuery } from '#core/experiments/query/matching';
import { isFailure } from '#ports/failure';
import type { RunPage, RunQuery } from '#ports/storage/run-table';

const selection = { projectId: 'p', archived: false };
const clock = { now: () => Date.now() };
const named = (pattern: string) => ({
  condition: 'AND',
  rules: [{ field: 'Name', operator: 'matches', value: pattern, type: 'string' }],
});

/** A table of runs that are named by numbers, a page at a time. */
const tableOf = (count: number) => ({
  page: ({ limit, after }: RunQuery): Promise<RunPage> => {
    const from = after === undefined ? 0 : Number(after.id) + 1;
    const ids = Array.from({ length: Math.min(limit, count - from) }, (_, i) => String(from + i));
    const last = from + ids.length < count ? ids.at(-1) : undefined;
    return Promise.resolve({
      ...{
        total: 0,
        ids,
        keys: ids,
        next: last === undefined ? undefined : { id: last, keys: [] },
      },
      columns: [{ cells: ids.map((id) => `run ${id}`), cut: 0 }],
    });
  },
});

const slow = {
  compile: () =>
    Promise.resolve((): boolean => {
      const until = performance.now() + 5;
      while (performance.now() < until);
      return false;
    }),
};

const refusal = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (thrown: unknown) => (isFailure(thrown) ? `${thrown.kind}: ${thrown.message}` : String(thrown)),
  );

describe('names of runs that a regular expression matches', () => {
  it('are found over all pages', async () => {
    const patterns = {
      compile: (pattern: string) => Promise.resolve((name: string) => name.endsWith(pattern)),
    };

    const read = await readPageQuery(
      { runTable: tableOf(2500), patterns, clock },
      selection,
      named('99'),
    );

    const ids = Array.from({ length: 25 }, (_, i) => String(i * 100 + 99));
    expect(JSON.stringify(read)).to.contain(JSON.stringify({ type: 'among', ids }));
  });

  it('are refused where there are too many of them, or they take too long', async () => {
    const none = { compile: () => Promise.resolve(() => false) };
    expect(
      await refusal(
        readPageQuery({ runTable: tableOf(100_001), patterns: none, clock }, selection, named('a')),
      ),
    ).to.match(/^invalid: a regular expression is matched with at most 100000 names/);
    expect(
      await refusal(
        readPageQuery({ runTable: tableOf(5000), patterns: slow, clock }, selection, named('a')),
      ),
    ).to.match(/^invalid: matching the names of this project takes longer than 2 s/);
  });

  it('let others have their turn meanwhile, and end with their request', async () => {
    const ended = new AbortController();
    let longest = 0;
    let at = performance.now();
    const beat = setInterval(() => {
      longest = Math.max(longest, performance.now() - at);
      at = performance.now();
    }, 1);
    setTimeout(() => {
      ended.abort(new Error('gone'));
    }, 300);

    const said = await refusal(
      readPageQuery(
        { runTable: tableOf(5000), patterns: slow, clock },
        { ...selection, signal: ended.signal },
        named('a'),
      ),
    );
    clearInterval(beat);

    expect(said).to.contain('gone');
    // All names of one page would take five seconds.
    expect(longest).to.be.below(1000);
  });
});
