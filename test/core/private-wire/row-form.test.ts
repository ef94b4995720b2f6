import { expect } from 'chai';
import { rowForm } from '#core/private-wire/row-form';
import { KeptJson, stringifyKept } from '#ports/kept-json';

interface Row {
  readonly name: string;
  readonly tags?: readonly string[];
}
const form = rowForm<Row>()({
  id: () => 'a-1',
  name: ({ name }) => name,
  tags: ({ tags }) => tags,
  input: () => new KeptJson('{"b":1.0,"a":12345678901234567890}'),
  cost: () => 0.1,
  odd: () => Number.NaN,
  held: () => true,
  comments: () => [{ text: 'so "it" is' }],
  nothing: () => undefined,
});

describe('forms of rows', () => {
  it('writes a row as the text of the object that it shows', () => {
    for (const row of [
      { name: 'plain' },
      { name: 'a "quoted" \\ name\n\u2028 with \ud83d\ude00 and \ud800', tags: ['x', 'ü"'] },
      { name: '', tags: [] },
    ])
      expect(stringifyKept(form.write(row))).to.equal(stringifyKept(form.show(row)));
  });

  it('puts rows into a list as they were written', () => {
    const rows = [{ name: 'one' }, { name: 'kept 0 as sent 1' }, { name: 'two' }];

    const written = stringifyKept({ total: 3, content: rows.map((row) => form.write(row)) });

    expect(written).to.equal(
      stringifyKept({ total: 3, content: rows.map((row) => form.show(row)) }),
    );
  });

  it('does not make members that are left out', () => {
    const few = rowForm<Row>()({
      id: () => 'a-1',
      name: (): string => {
        throw new Error('it was made');
      },
    }).without(new Set(['name']));

    expect(stringifyKept(few.write({ name: 'x' }))).to.equal('{"id":"a-1"}');
    expect(few.show({ name: 'x' })).to.deep.equal({ id: 'a-1' });
  });

  it('tells lists apart that follow each other', () => {
    const texts = [['a'], ['b'], ['b']].map((tags) =>
      stringifyKept(form.write({ name: '', tags })),
    );

    expect(texts.map((text) => (JSON.parse(text) as Row).tags)).to.deep.equal([
      ['a'],
      ['b'],
      ['b'],
    ]);
  });
});
