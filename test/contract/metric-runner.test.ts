import { openPythonMetrics } from '#adapters/metric-runner/python/python-metrics';
import type { Opened } from '#ports/drivers';
import type { MetricAnswer, MetricRunner } from '#ports/metric-runner';
import { pendingUnlessAll } from '#test/pending';
import { testPython } from '#test/servers/python';
import { metricRunnerContract, pythonMetrics, type MetricBehaviour } from './metric-runner.js';

describe('metrics in Python', function () {
  this.timeout(120_000);
  let opened: Opened<MetricRunner> | undefined;
  before(async function () {
    if (process.platform !== 'linux') return pendingUnlessAll(this, 'it needs Linux');
    opened = await openPythonMetrics(testPython());
  });
  after(() => opened?.stop());
  metricRunnerContract(() => {
    if (opened === undefined) throw new Error('it is not open');
    return { runner: opened.made, sourceOf: (behaviour) => pythonMetrics[behaviour] };
  });
});

const one = (name: string, value: number, reason?: string): MetricAnswer => ({
  scores: [{ name, value, reason }],
  failed: [],
});
const fault = (message: string, retry = false): MetricAnswer => ({ fault: { message, retry } });
const untilAborted = (signal: AbortSignal, ms: number): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms, false);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve(true);
    });
  });

/** As small as a runner can be: its metrics are words that it knows. */
const tinyRunner: MetricRunner = {
  isOn: true,
  async run({ source, arguments: given, first }, { timeMs }, signal) {
    if (signal.aborted) return fault('was stopped', true);
    const output = given['output'];
    const echo = Object.keys(given).join() === 'value';
    switch (source as MetricBehaviour /* the suite has no others */) {
      case 'measures':
      case 'speaks':
        return typeof output === 'string'
          ? one('length', output.length, 'é🦄')
          : fault('lacks its output');
      case 'echoes':
        return echo ? one('echo', 0.5, JSON.stringify(given['value'])) : fault('lacks its value');
      case 'turns':
        return one('turns', Array.isArray(first) ? first.length : 0);
      case 'several': {
        const scores = Object.entries({ one: 1, flag: 1, two: -2.5 });
        return {
          scores: scores.map(([name, value]) => ({ name, value, reason: undefined })),
          failed: ['three'],
        };
      }
      case 'nothing':
        return { scores: [], failed: [] };
      case 'remembers':
        return one('times', 1);
      case 'lingers':
      case 'sleeps':
        return (await untilAborted(signal, timeMs))
          ? fault('was stopped', true)
          : fault(`took more than ${timeMs / 1000} s`);
      default:
        return fault('has no luck');
    }
  },
};
describe('metrics of another runner', function () {
  this.timeout(20_000);
  metricRunnerContract(() => ({ runner: tinyRunner, sourceOf: (behaviour) => behaviour }));
});
