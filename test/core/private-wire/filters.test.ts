import { expect } from 'chai';
import { readFilters, type FilterTypes } from '#core/private-wire/filters';
import { stepsOf } from '#core/private-wire/json-path';
import { readSorting } from '#core/private-wire/sorting';

const types: FilterTypes = {
  name: 'text',
  start_time: 'instant',
  duration: 'number',
  tags: 'list',
  experiment_ids: 'ids',
  type: 'word',
  feedback_scores: 'scores',
  metadata: 'json',
  input_json: 'json',
  data: 'map',
  error_info: 'error',
  custom: 'custom',
};
const read = (field: string, operator: string, value?: string | null, key?: string | null) =>
  readFilters([{ field, operator, value, key, type: 'string' }], types)[0];

describe('filters of the private wire', () => {
  it('are claims of the type of their field', () => {
    const time = '2026-05-01T10:00:00.000001Z';
    expect(read('name', 'not_contains', 'A')).to.deep.equal({
      field: 'name',
      is: 'text',
      operator: 'notContains',
      value: 'A',
    });
    expect(read('duration', '<=', '1.5', '')).to.include({
      is: 'number',
      operator: 'atMost',
      value: 1.5,
    });
    expect(read('start_time', '>', time)).to.include({ is: 'instant', value: 1777629600000001 });
    expect(read('tags', '=', 'x')).to.include({ is: 'list', operator: 'equals' });
    expect(read('tags', 'is_empty', null)).to.include({ is: 'presence', operator: 'isEmpty' });
    expect(read('type', 'not_in', 'a, b,a')).to.deep.include({
      operator: 'notIn',
      value: ['a', 'b'],
    });
    expect(read('type', '=', 'a,b')).to.deep.include({ operator: 'in', value: ['a,b'] });
    expect(read('experiment_ids', 'in', 'a,b')).to.deep.include({ value: ['a', 'b'] });
    expect(read('feedback_scores', '>', '0.5', 'Acc')).to.include({ key: 'acc', value: 0.5 });
    expect(read('error_info', 'is_not_empty', '')).to.include({ operator: 'isNotEmpty' });
  });

  it('walk into JSON by a path, and order what is there as numbers', () => {
    expect(read('metadata', '=', 'x', '$.a.b[0]')).to.deep.include({
      is: 'text',
      path: ['a', 'b', 0],
    });
    expect(read('input_json', '>=', '3', 'n')).to.deep.include({ is: 'number', path: ['n'] });
    expect(read('data', 'contains', 'x', 'a.b')).to.deep.include({ path: ['a.b'] });
    expect(read('custom', '=', 'x', 'output[0].y')).to.deep.include({
      field: 'output_json',
      path: [0, 'y'],
    });
    expect(stepsOf('a[1][2].b')).to.deep.equal(['a', 1, 2, 'b']);
    for (const odd of ['', 'a..b', 'a[', 'a]', '[x]', 'a['.repeat(50_000)])
      expect(stepsOf(odd), odd.slice(0, 10)).to.equal(undefined);
  });

  it('are refused with a sentence where they cannot be meant', () => {
    for (const [field, operator, value, key] of [
      ['nope', '=', 'x'],
      ['toString', '=', 'x'],
      ['name', '~', 'x'],
      ['name', '=', ' '],
      ['duration', '=', 'abc'],
      ['duration', 'contains', '1'],
      ['start_time', '=', 'yesterday'],
      ['feedback_scores', '>', '1'],
      ['metadata', '=', 'x'],
      ['error_info', '=', 'x'],
      ['custom', '=', 'x', 'tags.a'],
      ['type', '=', ''],
    ] as const)
      expect(() => read(field, operator, value, key), `${field} ${operator}`).to.throw(/.+/);
    for (const odd of ['{}', 'nope', '[1]', '[{}]', JSON.stringify(Array(101).fill({}))])
      expect(() => readFilters(odd, types), odd.slice(0, 20)).to.throw(/^Invalid filters/);
    expect(readFilters(' ', types)).to.deep.equal([]);
    expect(readFilters(undefined, types)).to.deep.equal([]);
  });
});

describe('sort fields of the private wire', () => {
  const names = ['name', 'duration.p50', 'feedback_scores.*'];
  it('are known by their names, with a key behind the dot where the field has keys', () => {
    const text =
      '[{"field":"name","direction":"desc"},{"field":"feedback_scores.a.b"},{"field":"duration.p50","direction":"ASC"}]';
    expect(readSorting(text, names)).to.deep.equal([
      { field: 'name', descending: true },
      { field: 'feedback_scores', key: 'a.b', path: ['a', 'b'], descending: false },
      { field: 'duration', key: 'p50', descending: false },
    ]);
    expect(readSorting('', names)).to.deep.equal([]);
  });

  it('are refused by name where a list cannot be sorted by them', () => {
    for (const odd of [
      'x',
      '{}',
      '[1]',
      '[{"field":"name","direction":"up"}]',
      '[{"field":"other"}]',
    ])
      expect(() => readSorting(odd, names), odd).to.throw(/^Invalid sorting/);
    expect(() => readSorting('[{"field":"duration.p99"}]', names)).to.throw(/duration\.p99/);
  });
});
