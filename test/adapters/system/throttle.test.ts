import { expect } from 'chai';
import { bucketThrottle } from '#adapters/system/throttle';
import { settingRows } from '#config/settings';

const rates = {
  metrics: settingRows.ORRERY_THROTTLE_METRICS_PER_MINUTE.default,
  systemMetrics: settingRows.ORRERY_THROTTLE_SYSTEM_METRICS_PER_MINUTE.default,
  parameters: settingRows.ORRERY_THROTTLE_PARAMETERS_PER_MINUTE.default,
  output: settingRows.ORRERY_THROTTLE_OUTPUT_PER_MINUTE.default,
  assets: settingRows.ORRERY_THROTTLE_ASSETS_PER_MINUTE.default,
};
const none = { metrics: 0, systemMetrics: 0, parameters: 0, output: 0, assets: 0 };

describe('the throttle by its defaults', () => {
  it('lets a run log 20,000 points a second for as long as it likes', () => {
    let now = 0;
    const throttle = bucketThrottle(
      { experiment: rates, organization: none },
      { now: () => now },
      () => 2,
    );

    const refused = Array.from({ length: 3600 }, () => {
      now += 1000;
      return throttle.take('metrics', 'run', 20_000).allowed;
    }).filter((allowed) => !allowed);

    expect(refused).to.deep.equal([]);
  });

  it('lets an offline run of a million points come in at once', () => {
    const throttle = bucketThrottle(
      { experiment: rates, organization: none },
      { now: () => 0 },
      () => 2,
    );

    for (let i = 0; i < 100; i++)
      expect(throttle.take('metrics', 'run', 10_000).allowed).to.equal(true);
    for (let i = 0; i < 100; i++)
      expect(throttle.take('output', 'run', 5000).allowed).to.equal(true);
  });

  it('tells a run to wait that would take the machine for itself', () => {
    const throttle = bucketThrottle(
      { experiment: rates, organization: none },
      { now: () => 0 },
      () => 1,
    );

    const verdicts = Array.from({ length: 10 }, () => throttle.take('metrics', 'run', 1_000_000));

    expect(verdicts.filter(({ allowed }) => !allowed).length).to.be.above(0);
    expect(throttle.take('metrics', 'another', 1_000_000).allowed).to.equal(true);
  });
});
