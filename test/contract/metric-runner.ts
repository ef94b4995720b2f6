// What every runner of metrics keeps to.
import { expect } from 'chai';
import type { MetricAnswer, MetricCall, MetricLimits, MetricRunner } from '#ports/metric-runner';

/**
 * What a metric does. `measures`: one score `length`, how many characters its argument `output` has, because of "é🦄"; `echoes`: one score `echo` of 0.5,
 * because of the JSON text of its argument `value`; `turns`: one score `turns`, how many members its first parameter has; `several`: `one` of 1,
 * `flag` of true, `two` of -2.5, and says that it could not give `three`; `nothing`: no score at all; `fails`: "no luck", with an exception;
 * `misspelt`: is no program; `empty`: is a program without a metric; `babbles`: gives a text in the place of scores; `infinite`: gives a score that is
 * not finite; `remembers`: one score `times`, how often it was asked by this process; `speaks`: as `measures`, and prints; `rambles`: one score with a
 * reason longer than the answer may be; `floods`: writes without end; `hoards`: takes memory without end; `lingers`: never ends; `sleeps`: waits for a
 * minute; `dies`: ends its process.
 */
export type MetricBehaviour =
  | 'measures'
  | 'echoes'
  | 'turns'
  | 'several'
  | 'nothing'
  | 'fails'
  | 'misspelt'
  | 'empty'
  | 'babbles'
  | 'infinite'
  | 'remembers'
  | 'speaks'
  | 'rambles'
  | 'floods'
  | 'hoards'
  | 'lingers'
  | 'sleeps'
  | 'dies';

export interface MetricStage {
  readonly runner: MetricRunner;
  /** The source of a metric that behaves so. */
  sourceOf(behaviour: MetricBehaviour): string;
}

const pythonMetric = (body: string, parameters = '**given'): string => `
from opik.evaluation.metrics import base_metric, score_result
import json, os, time
Score = score_result.ScoreResult
asked = 0
class Metric(base_metric.BaseMetric):
    def score(self, ${parameters}):
${body
  .split('\n')
  .map((line) => `        ${line}`)
  .join('\n')}
`;

const measuring = "return Score(name='length', value=len(output), reason='é🦄')";
/** The metrics of the suite in Python, for runners of Python. */
export const pythonMetrics: Readonly<Record<MetricBehaviour, string>> = {
  measures: pythonMetric(measuring, 'output, **ignored'),
  echoes: pythonMetric("return Score(name='echo', value=0.5, reason=json.dumps(value))", 'value'),
  turns: pythonMetric("return Score(name='turns', value=len(conversation))", 'conversation'),
  several: pythonMetric(
    "return [Score('one', 1), Score('flag', True), Score('three', 0, scoring_failed=True), Score('two', -2.5)]",
  ),
  nothing: pythonMetric('return []'),
  fails: pythonMetric("raise ValueError('no luck')"),
  misspelt: 'class Metric(:',
  empty: 'class Metric:\n    pass',
  babbles: pythonMetric("return 'I like it'"),
  infinite: pythonMetric("return Score('far', float('inf'))"),
  remembers: pythonMetric("global asked\nasked += 1\nreturn Score('times', asked)"),
  speaks: pythonMetric(`print('here' * 1000)\n${measuring}`, 'output'),
  rambles: pythonMetric("return [Score('long %d' % n, 1, 'x' * 10000) for n in range(50)]"),
  floods: pythonMetric("while True:\n    os.write(1, b'x' * 65536)"),
  hoards: pythonMetric("kept = []\nwhile True:\n    kept.append(b'x' * 10_000_000)"),
  lingers: pythonMetric('while True:\n    pass'),
  sleeps: pythonMetric('time.sleep(60)'),
  dies: pythonMetric('os._exit(0)'),
};

export const metricLimits: MetricLimits = {
  timeMs: 20_000,
  memoryBytes: 256 * 1024 * 1024,
  outputBytes: 100_000,
};
const goes = new AbortController().signal;

export const metricRunnerContract = (stage: () => MetricStage): void => {
  const run = (
    behaviour: MetricBehaviour,
    given: Partial<MetricCall> = {},
    limits: Partial<MetricLimits> = {},
    signal = goes,
  ): Promise<MetricAnswer> =>
    stage().runner.run(
      { source: stage().sourceOf(behaviour), arguments: {}, ...given },
      { ...metricLimits, ...limits },
      signal,
    );
  const faultOf = (answer: MetricAnswer) => {
    if ('fault' in answer) return answer.fault;
    throw new Error(`it answered ${JSON.stringify(answer)}`);
  };

  it('says that it is on', () => {
    expect(stage().runner.isOn).to.equal(true);
  });

  it('gives scores with their names, values and reasons, in any script', async () => {
    expect(await run('measures', { arguments: { output: 'grüezi', other: 1 } })).to.deep.equal({
      scores: [{ name: 'length', value: 6, reason: 'é🦄' }],
      failed: [],
    });
  });

  it('hands over values of every kind as they are', async () => {
    const value = { text: 'ü\n"\\', list: [1, 2.5, true, false, null, []], empty: {} };

    const answer = await run('echoes', { arguments: { value } });

    const reason = 'scores' in answer ? answer.scores[0]?.reason : '';
    expect(JSON.parse(reason ?? '')).to.deep.equal(value);
  });

  it('hands over one value as the first parameter, whatever its name', async () => {
    const first = [
      { role: 'user', content: 'six times seven' },
      { role: 'assistant', content: { text: 'forty-two' } },
    ];

    expect(await run('turns', { first })).to.deep.equal({
      scores: [{ name: 'turns', value: 2, reason: undefined }],
      failed: [],
    });
  });

  it('gives several scores in their order, true as 1, and apart those that could not be given', async () => {
    expect(await run('several')).to.deep.equal({
      scores: [
        { name: 'one', value: 1, reason: undefined },
        { name: 'flag', value: 1, reason: undefined },
        { name: 'two', value: -2.5, reason: undefined },
      ],
      failed: ['three'],
    });
    expect(await run('nothing')).to.deep.equal({ scores: [], failed: [] });
  });

  it('tells what failed, which no further attempt would mend', async () => {
    const fault = faultOf(await run('fails'));

    expect(fault.message).to.include('no luck');
    expect(fault.retry).to.equal(false);
    for (const wrong of ['misspelt', 'empty', 'babbles', 'infinite', 'dies'] as const) {
      const told = faultOf(await run(wrong));
      expect(told.message, wrong).to.match(/^\w.*[^.]$/);
      expect(told.retry, wrong).to.equal(false);
    }
  });

  it('tells of arguments that are missing and of those that are not asked for', async () => {
    expect(faultOf(await run('measures')).retry).to.equal(false);
    expect(faultOf(await run('echoes', { arguments: { value: 1, more: 2 } })).retry).to.equal(
      false,
    );
  });

  it('keeps what is printed out of the answer', async () => {
    const answer = await run('speaks', { arguments: { output: 'abc' } });

    expect('scores' in answer && answer.scores[0]?.value).to.equal(3);
  });

  it('leaves nothing behind for the next run', async () => {
    for (const _ of [1, 2])
      expect(await run('remembers')).to.deep.equal({
        scores: [{ name: 'times', value: 1, reason: undefined }],
        failed: [],
      });
  });

  it('ends what takes too long, at work or at rest', async () => {
    for (const slow of ['lingers', 'sleeps'] as const) {
      const began = performance.now();

      const fault = faultOf(await run(slow, {}, { timeMs: 1500 }));

      expect(fault, slow).to.deep.equal({ message: 'took more than 1.5 s', retry: false });
      expect(performance.now() - began, slow).to.be.below(15_000);
    }
  });

  it('ends what takes too much memory, and what says too much', async () => {
    for (const greedy of ['hoards', 'floods', 'rambles'] as const)
      expect(faultOf(await run(greedy)).retry, greedy).to.equal(false);
  });

  it('ends when its signal aborts, and runs nothing once it has', async () => {
    const ending = new AbortController();
    const [running, late] = [run('lingers', {}, {}, ending.signal), performance.now()];
    ending.abort();

    expect(faultOf(await running).retry).to.equal(true);
    expect(faultOf(await run('nothing', {}, {}, ending.signal)).retry).to.equal(true);
    expect(performance.now() - late).to.be.below(15_000);
  });

  it('comes to an end with more runs than it has turns for', async () => {
    const outputs = Array.from({ length: 12 }, (_, at) => 'x'.repeat(at));

    const answers = await Promise.all(
      outputs.map((output) => run('measures', { arguments: { output } })),
    );

    expect(answers.map((answer) => 'scores' in answer && answer.scores[0]?.value)).to.deep.equal(
      outputs.map(({ length }) => length),
    );
  });
};
