import { expect } from 'chai';
import { readConfig, slugOf } from '#core/dashboards/rules';
import { KeptJson } from '#ports/kept-json';

const kindOf = (json: string): string | undefined => {
  try {
    readConfig(new KeptJson(json));
    return undefined;
  } catch (refusal) {
    return (refusal as { readonly kind: string }).kind; // a failure
  }
};

describe('dashboards', () => {
  it('are called by their name in addresses', () => {
    expect(slugOf(' Costs & more: 2026! ')).to.equal('costs-more-2026');
    expect(slugOf('Évaluation')).to.equal('evaluation');
    expect(slugOf('費用')).to.equal('dashboard');
    expect(slugOf('a'.repeat(300))).to.have.length(120);
  });

  it('keep what they were given letter by letter', () => {
    const json = '{"b":1.50,"a":12345678901234567890}';
    expect(readConfig(new KeptJson(json))).to.equal(json);
  });

  it('hold an object of bounded size, whose queries can be asked', () => {
    const widget = (of: unknown): string =>
      JSON.stringify({ sections: [{ widgets: [{ type: 'ollie_chart', config: of }] }] });
    for (const fine of [
      '{}',
      '{"sections":3}',
      '{"sections":[null,{"widgets":{}},{"widgets":[1,{"type":"ollie_chart"}]}]}',
      widget({ query: { savedQueryId: 'x' } }),
      widget({ query: { sql: 'select 1', projectId: null } }),
      JSON.stringify({
        sections: [{ widgets: [{ type: 'text', config: { query: { sql: '' } } }] }],
      }),
    ])
      expect(kindOf(fine), fine).to.equal(undefined);
    for (const unfit of ['[]', '1', '"{}"', 'true'])
      expect(kindOf(unfit), unfit).to.equal('invalid');
    for (const broken of [
      'null',
      widget({ query: { sql: '' } }),
      widget({ query: { sql: 7 } }),
      widget({ query: { sql: 'a'.repeat(65_537) } }),
      widget({ query: { projectId: 'x' } }),
      JSON.stringify({ text: 'a'.repeat(1024 * 1024) }),
    ])
      expect(kindOf(broken), broken.slice(0, 100)).to.equal('unprocessable');
  });
});
