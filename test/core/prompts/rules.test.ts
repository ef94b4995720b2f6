import { expect } from 'chai';
import { readRun, refusalOf } from '#core/prompts/rules';
import { Failure } from '#ports/failure';

const key = 'a'.repeat(32);

describe('a run of prompts', () => {
  it('goes to the general LLM project unless it names one', () => {
    const run = readRun({ experimentKey: key }, 5);

    expect([run.projectName, run.kind, run.workspaceName, run.document]).to.deep.equal([
      'llm-general',
      'llm',
      undefined,
      undefined,
    ]);
  });

  it('keeps its values, and leaves out those without a name or a value', () => {
    const run = readRun(
      {
        experimentKey: key,
        parameters: [
          { parameterName: 'model', parameterValue: 'm' },
          { parameterName: '', parameterValue: 1 },
          {},
        ],
        metrics: [
          { metricName: 'chain_duration', metricValue: 1.5 },
          { metricName: 'x', metricValue: null },
        ],
        others: [
          { key: 'Name', value: 'first' },
          { key: 'n', value: null },
        ],
        tags: ['a', ''],
      },
      5,
    );

    expect(run.parameters.map((value) => [value.name, value.text, value.timestamp])).to.deep.equal([
      ['model', 'm', 5],
    ]);
    expect(run.points.map((point) => [point.name, String(point.text)])).to.deep.equal([
      ['chain_duration', '1.5'],
    ]);
    expect(run.others.map((value) => value.name)).to.deep.equal(['Name']);
    expect([run.change, run.tags]).to.deep.equal([{ name: 'first' }, ['a']]);
  });

  it('is refused alone, with the number of its reason', () => {
    expect(
      refusalOf(new Failure('invalid', 'the project holds no LLM runs', { reason: 'projectKind' })),
    ).to.deep.equal({
      status: 400,
      content: {
        msg: 'the project holds no LLM runs',
        code: 400,
        data: null,
        sdk_error_code: 34323,
      },
    });
    expect([
      refusalOf(new Failure('conflict', 'taken')).content,
      refusalOf(new Failure('throttled', 'wait')).status,
    ]).to.deep.equal([{ msg: 'taken', code: 400, data: null, sdk_error_code: 90999 }, 429]);
  });
});
