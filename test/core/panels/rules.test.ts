import { expect } from 'chai';
import { readTemplate, toWireView, writeContent } from '#core/panels/rules';
import type { View } from '#ports/storage/views';

const view = (content: object): View => ({
  id: 'v',
  projectId: 'p',
  experimentKey: undefined,
  name: 'n',
  content: writeContent(undefined, content),
  createdBy: 'ann',
  createdAt: 1,
  updatedAt: 2,
});

describe('views', () => {
  it('give back the texts of states as sent', () => {
    const wire = toWireView(view({ experimentQueryState: '{"a": 1.0 }', v2: { deep: [null] } }));

    expect([wire.experimentQueryState, wire.v2, wire.dashboardChartState]).to.deep.equal([
      '{"a": 1.0 }',
      { deep: [null] },
      null,
    ]);
  });

  it('keep what a change does not name', () => {
    expect(
      JSON.parse(writeContent({ v2: 1, v3: 2 }, { v3: 3, experimentQueryState: undefined })),
    ).to.deep.equal({ v2: 1, v3: 3 });
  });
});

describe('the description of a panel', () => {
  it('gives name and code', () => {
    expect(
      readTemplate('{"templateName":"p","code":{"type":"py","pyCode":"print()"}}'),
    ).to.deep.equal({ name: 'p', code: { type: 'py', pyCode: 'print()' } });
  });

  for (const broken of [
    undefined,
    '',
    '[]',
    '{"code":{}}',
    '{"templateName":"","code":{}}',
    '{"templateName":"p","code":[]}',
  ])
    it(`is refused when it is ${JSON.stringify(broken) ?? 'missing'}`, () => {
      expect(() => readTemplate(broken)).to.throw('panel');
    });
});
