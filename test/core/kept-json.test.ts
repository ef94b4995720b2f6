import { expect } from 'chai';
import fc from 'fast-check';
import { KeptJson, stringifyKept } from '#ports/kept-json';

describe('JSON that is kept as its text', () => {
  it('is written as it is, among values that are written as ever', () => {
    const exact = '{"b":12345678901234567890,"1":1.0}';

    expect(
      stringifyKept({ a: new KeptJson(exact), list: [new KeptJson('"x"'), 1, null], c: undefined }),
    ).to.equal(`{"a":${exact},"list":["x",1,null]}`);
    expect(JSON.stringify({ a: new KeptJson('{"b":1.0}') })).to.equal('{"a":{"b":1}}');
  });

  it('stands for the same value, whatever is around it', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.jsonValue(), fc.boolean())), (values) => {
        const written = stringifyKept(
          values.map(([value, kept]) => (kept ? new KeptJson(JSON.stringify(value)) : value)),
        );

        expect(written).to.equal(JSON.stringify(values.map(([value]) => value)));
      }),
    );
  });

  it('is not taken for what somebody sent in its place', () => {
    const sent = [0, 1, 2].map((n) => `kept ${n} as sent 0`);
    for (const some of [sent.slice(0, 1), sent.slice(0, 2), sent])
      expect(JSON.parse(stringifyKept([...some, new KeptJson('[7]')]))).to.deep.equal([
        ...some,
        [7],
      ]);
  });
});
