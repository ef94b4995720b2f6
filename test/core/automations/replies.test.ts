import { expect } from 'chai';
import { readReply, responseFormat } from '#core/automations/replies';
import { isSampled } from '#core/automations/sampling';
import type { JudgeOutput } from '#ports/model/automations';

const output = (name: string, type: JudgeOutput['type'] = 'DOUBLE'): JudgeOutput => ({
  ...{ name, type, description: `says ${name}` },
});
const outputs = [output('Relevance'), output('Safe', 'BOOLEAN'), output('Count', 'INTEGER')];
const read = (answer: unknown) =>
  readReply(typeof answer === 'string' ? answer : JSON.stringify(answer), outputs).map(
    ({ name, value, reason }) => [name, value, reason],
  );

describe('the answer of a judge', () => {
  it('is asked for as an object of scores with reasons', () => {
    const { type, json_schema: format } = responseFormat(outputs);
    expect([type, format.strict]).to.deep.equal(['json_schema', true]);
    expect(format.schema.required).to.deep.equal(['Relevance', 'Safe', 'Count']);
    expect(format.schema.properties['Safe']).to.deep.equal({
      type: 'object',
      description: 'says Safe',
      properties: { score: { type: 'boolean' }, reason: { type: 'string' } },
      required: ['score', 'reason'],
      additionalProperties: false,
    });
  });

  it('gives scores by name; booleans are 1 and 0', () => {
    expect(
      read({
        Safe: { score: true, reason: 'fine' },
        Relevance: { score: 0.25, reason: 'so so' },
        Count: { score: -3, reason: '' },
      }),
    ).to.deep.equal([
      ['Relevance', 0.25, 'so so'],
      ['Safe', 1, 'fine'],
      ['Count', -3, ''],
    ]);
    expect(read({ Safe: { score: false } })).to.deep.equal([['Safe', 0, undefined]]);
  });

  it('leaves out members without a score, and those nobody asked for', () => {
    expect(
      read({
        Relevance: { reason: 'none' },
        Safe: { score: null, reason: 'x' },
        Count: { score: 2, reason: { no: 'text' } },
        Other: { score: 1, reason: 'y' },
      }),
    ).to.deep.equal([['Count', 2, undefined]]);
    for (const score of ['1', '', [1], { score: 1 }, 1e9, -1e300])
      expect(read({ Count: { score } }), JSON.stringify(score)).to.deep.equal([]);
    expect(read('{"Count":{"score":1e999}}')).to.deep.equal([]);
    expect(read({ Count: 5, Safe: [1], Relevance: 'x' })).to.deep.equal([]);
  });

  it('gives none where it is no JSON object', () => {
    for (const answer of [
      '',
      'I think it is good: 7 of 10',
      '{"Count":{"score":1,',
      '```json\n{"Count":{"score":1,"reason":""}}\n```',
      '[{"Count":{"score":1}}]',
      'null',
      '7',
      '"{}"',
      '{"__proto__":{"Count":{"score":1}}}',
      '\u0000',
    ])
      expect(read(answer), answer).to.deep.equal([]);
    expect(readReply('{}', [output('constructor'), output('__proto__')])).to.deep.equal([]);
    expect(readReply('[5]', [output('length'), output('0')])).to.deep.equal([]);
  });

  it('has reasons of some length', () => {
    const [score] = readReply(JSON.stringify({ Count: { score: 1, reason: 'x'.repeat(20_000) } }), [
      output('Count'),
    ]);
    expect(score?.reason).to.have.length(10_000);
  });
});

describe('the sample of a rule', () => {
  const ids = Array.from({ length: 4000 }, (_, at) => `01890000-0000-7000-8000-${at}`);
  const share = (rule: string, rate: number): number =>
    ids.filter((id) => isSampled(rule, id, rate)).length / ids.length;

  it('is the share that is asked for, all at 1 and none at 0', () => {
    expect([share('a', 0), share('a', 1)]).to.deep.equal([0, 1]);
    for (const rate of [0.01, 0.1, 0.5, 0.9])
      for (const rule of ['a', 'b', 'c']) expect(share(rule, rate)).to.be.closeTo(rate, 0.03);
  });

  it('is the same whenever it is asked, and another one for another rule', () => {
    const of = (rule: string) => ids.filter((id) => isSampled(rule, id, 0.5));
    expect(of('a')).to.deep.equal(of('a'));
    const other = new Set(of('b'));
    const both = of('a').filter((id) => other.has(id));
    expect(both.length / ids.length).to.be.closeTo(0.25, 0.03);
  });
});
