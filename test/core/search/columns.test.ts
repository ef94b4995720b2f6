import { expect } from 'chai';
import { offerColumns } from '#core/search/columns';

describe('the columns of a project', () => {
  const find = (id: string, names: Parameters<typeof offerColumns>[0]) =>
    offerColumns(names).filter((column) => column.id === id);

  it('hold the steady metadata of a project without experiments', () => {
    const ids = offerColumns([]).map(({ id }) => id);

    expect(ids).to.include.members([
      'duration--metadata',
      'hasCrashed--metadata',
      'Name--log_other',
      'throttled--log_other',
    ]);
  });

  it('are numbers only where the newest value is one', () => {
    expect(
      find('rate--params', [{ kind: 'parameter', name: 'rate', numeric: true }]),
    ).to.deep.equal([{ id: 'rate--params', name: 'rate', source: 'params', type: 'double' }]);
    expect(
      find('rate--params', [{ kind: 'parameter', name: 'rate', numeric: false }])[0]?.type,
    ).to.equal('string');
  });

  it('compare tags as texts, even tags of digits', () => {
    expect(find('2024--tag', [{ kind: 'tag', name: '2024', numeric: true }])[0]?.type).to.equal(
      'string',
    );
  });

  it("name what is logged under the name of one of the server's own only once", () => {
    expect(find('Name--log_other', [{ kind: 'other', name: 'Name', numeric: true }])).to.deep.equal(
      [{ id: 'Name--log_other', name: 'Name', source: 'log_other', type: 'string' }],
    );
  });
});
