// Values as pages look at them: where a text stands in one, columns of a result, conditions of a queue, columns of pictures.
import { expect } from 'chai';
import fc from 'fast-check';
import { imageGrid, readColumnKey, writeColumnKey } from '#plugins/web-ui/pure/image-grid';
import { placesWith } from '#plugins/web-ui/pure/json-search';
import { automationDraft, sentAutomation } from '#plugins/web-ui/pure/queue-automation';
import { columnsOf } from '#plugins/web-ui/pure/sql-columns';

describe('a text in a value', () => {
  const paths = (value: unknown, text: string) =>
    [...placesWith(value, text)].flatMap((one) => (one === undefined ? [] : [one.path]));

  it('is found in names and in what they hold, in their order, whatever its case', () => {
    const value = { Name: 'one', list: ['no', { 'a-name': 2 }, 'NAME'], name: { deep: null } };
    expect(paths(value, 'name')).to.deep.equal(['Name', 'list[1]["a-name"]', 'list[2]', 'name']);
    expect(paths('a name', 'NAM')).to.deep.equal(['']);
    expect(paths(value, 'nothing')).to.deep.equal([]);
  });

  it('is found at any depth, with a rest after every so many members', () => {
    let deep: unknown = 'needle';
    for (let level = 0; level < 5000; level++) deep = [deep];
    const all = [...placesWith(deep, 'needle', 1000)];
    expect(all.filter((one) => one === undefined)).to.have.length(5);
    expect(all.at(-1)?.value).to.equal('needle');
  });

  it('stands where the path says', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        for (const one of placesWith(value, ''))
          if (one !== undefined && /^[\w.[\]]*$/.test(one.path)) {
            let at: unknown = value;
            for (const part of one.path.split(/[.[\]]+/).filter((name) => name !== ''))
              at = (at as Readonly<Record<string, unknown>>)[part]; // a member, as the path says
            expect(at).to.deep.equal(one.value);
          }
      }),
    );
  });
});

describe('columns of a result', () => {
  it('have a type where all of their values are of one, and are text else', () => {
    const of = (...values: unknown[]) => {
      const [column] = columnsOf({ columns: ['a'], rows: values.map((one) => [one]) });
      return [column?.type, column?.values];
    };
    expect(of(1, null, 2)).to.deep.equal(['whole', [1n, null, 2n]]);
    expect(of(1, 1.5)).to.deep.equal(['number', [1, 1.5]]);
    expect(of(1, 2 ** 60)).to.deep.equal(['number', [1, 2 ** 60]]);
    expect(of(true, undefined)).to.deep.equal(['flag', [true, null]]);
    expect(of(1, 'b', [2], { c: 3 })).to.deep.equal(['text', ['1', 'b', '[2]', '{"c":3}']]);
    expect(of(null)).to.deep.equal(['text', [null]]);
  });
});

describe('what comes into a queue by itself', () => {
  const shown = {
    enabled: true,
    conditions: { groups: [{ conditions: [{ score_name: 'a', operator: '<', value: 0.5 }] }] },
    max_items_in_queue: 7,
  };

  it('is sent as it is shown', () => {
    expect(sentAutomation(automationDraft(shown), true)).to.deep.equal(shown);
    const { max_items_in_queue: _, ...unbounded } = shown;
    expect(sentAutomation(automationDraft(unbounded), true)).to.deep.equal({
      ...unbounded,
      clear_max_items_in_queue: true,
    });
    expect(sentAutomation(automationDraft(undefined), false)).to.equal(undefined);
    expect(sentAutomation({ ...automationDraft(shown), enabled: false }, true)).to.deep.include({
      enabled: false,
    });
  });

  it('is refused in a sentence where something is missing', () => {
    const condition = { name: 'a', operator: '<', value: '1' } as const;
    const send = (groups: readonly (readonly (typeof condition | object)[])[], most = '') =>
      sentAutomation({ enabled: true, groups: groups as never, most }, false); // drafts that are unfit
    expect(() => send([])).to.throw('write a condition');
    expect(() => send([[{ ...condition, name: ' ' }]])).to.throw('name the score');
    expect(() => send([[{ ...condition, value: 'x' }]])).to.throw('the number that a is compared');
    expect(() => send([[{ ...condition, value: '' }]])).to.throw('the number that a is compared');
    expect(() => send([[condition]], '0')).to.throw('a whole number from 1');
  });
});

describe('pictures in columns by their metadata', () => {
  it('stand in the order of numbers, then of texts, and are left out without a value', () => {
    const key = readColumnKey('metadata:camera.angle');
    expect(writeColumnKey(key)).to.equal('metadata:camera.angle');
    expect(readColumnKey('metadata:')).to.deep.equal({ by: 'step' });
    const picture = (run: string, value: string | null) => ({ run, name: 'a.png', step: 1, value });
    const grid = imageGrid(
      [
        picture('a', '10'),
        picture('a', '9'),
        picture('b', 'east'),
        picture('b', '07'),
        picture('b', null),
      ],
      key,
    );
    expect(grid.columns).to.deep.equal([9, 10, '07', 'east']);
    expect(grid.left).to.equal(1);
    expect(grid.at('a', 0)?.picture.value).to.equal('9');
  });
});
