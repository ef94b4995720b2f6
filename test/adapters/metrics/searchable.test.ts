import { expect } from 'chai';
import { groupBySeries } from '#adapters/storage/sql/metrics/searchable';

const runs = (given: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(given).flatMap(([experimentId, series]) =>
    series.map((seriesId) => ({ experimentId, seriesId })),
  );

describe('series whose copies are due', () => {
  it('are copied together where experiments have the same ones, in any order', () => {
    expect(groupBySeries(runs({ e1: ['b', 'a'], e2: ['a', 'b'] }))).to.deep.equal([
      { experimentIds: ['e1', 'e2'], seriesIds: ['a', 'b'] },
    ]);
  });

  it('are each copied for the experiments in which they are due, and no others', () => {
    const groups = groupBySeries(runs({ e1: ['a'], e2: ['b'], e3: ['a'], e4: ['a', 'b'] }));

    const pairs = groups.flatMap(({ experimentIds, seriesIds }) =>
      experimentIds.flatMap((one) => seriesIds.map((series) => `${one}${series}`)),
    );
    expect(pairs.sort()).to.deep.equal(['e1a', 'e2b', 'e3a', 'e4a', 'e4b']);
  });

  it('are none where nothing is due', () => {
    expect(groupBySeries([])).to.deep.equal([]);
  });
});
