import { expect } from 'chai';
import fc from 'fast-check';
import { readInstant, showInstant } from '#core/private-wire/instants';
import { mergeCreated, mergeUpdated, partialTrace } from '#core/traces/merging';
import type { Trace } from '#ports/model/traces';
import { aTrace } from '#test/contract/storage/traces';

describe('what becomes of a trace that is written several times', () => {
  it('is the same in whatever order whole rows come, and however often', () => {
    fc.assert(
      fc.property(
        fc
          .uniqueArray(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 5 })
          .chain((times) =>
            fc.tuple(
              fc.constant(times),
              fc.shuffledSubarray([...times, ...times], {
                minLength: 2 * times.length,
                maxLength: 2 * times.length,
              }),
            ),
          ),
        ([times, order]) => {
          const rowAt = (at: number): Trace =>
            aTrace({ projectId: 'p', id: 'i', name: `${at}`, lastUpdatedAt: at });
          const merged = order.reduce<Trace | undefined>(
            (stored, at) => mergeCreated(stored, rowAt(at)),
            undefined,
          );
          expect(merged?.name).to.equal(`${Math.max(...times)}`);
        },
      ),
    );
  });

  it('holds what an update brought, whether it came before or after', () => {
    const row = aTrace({ projectId: 'p', id: 'i', name: 'a', input: '1', lastUpdatedAt: 5 });
    const change = { output: '2', tags: ['t'], lastUpdatedAt: 9, lastUpdatedBy: 'bob' };
    const after = mergeUpdated(mergeCreated(undefined, row), change);
    const before = mergeCreated(mergeUpdated(partialTrace('i', 'p', 9, 'bob'), change), row);
    const { createdAt: _, createdBy: __, ...shared } = after;

    expect(before).to.deep.include(shared);
  });
});

describe('instants of the private wire', () => {
  it('come back to the microsecond, before 1970 too', () => {
    for (const text of ['2026-05-01T10:00:00.123456Z', '1969-12-31T23:59:59.999999Z'])
      expect(showInstant(readInstant(text, 'start_time'))).to.equal(text);
    expect(showInstant(readInstant('2026-05-01T12:00:00.1234567+02:00', 'start_time'))).to.equal(
      '2026-05-01T10:00:00.123456Z',
    );
  });

  it('are refused by name where they are none', () => {
    for (const text of ['', 'soon', '1714557600', '2026-13-01T00:00:00Z', '2026-05-01'])
      expect(() => readInstant(text, 'end_time')).to.throw('end_time must be a time');
  });
});
