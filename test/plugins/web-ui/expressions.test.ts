// Expressions over metrics, and runs below others, without a browser.
import { expect } from 'chai';
import fc from 'fast-check';
import { metricsOf, pointsOf, readFormula, valueOf } from '#plugins/web-ui/pure/expressions';
import { bothRules, childrenOf, hasParent, isParentColumn } from '#plugins/web-ui/pure/run-tree';

const known = ['loss', 'val/loss', 'train/loss', 'acc'];
const read = (text: string) => {
  const found = readFormula(text, known);
  if ('fault' in found) throw new Error(found.fault);
  return found;
};
const faultOf = (text: string) => {
  const found = readFormula(text, known);
  return 'fault' in found ? found.fault : undefined;
};
const worth = (text: string, values: Readonly<Record<string, number>> = {}) =>
  valueOf(read(text).lines[0]!.expression, (metric) => values[metric]);

describe('expressions over metrics', () => {
  it('count as one does on paper', () => {
    expect(worth('1 + 2 * 3')).to.equal(7);
    expect(worth('(1 + 2) * 3')).to.equal(9);
    expect(worth('2 ^ 3 ^ 2')).to.equal(512);
    expect(worth('-2 ^ 2')).to.equal(-4);
    expect(worth('8 / 4 / 2')).to.equal(1);
    expect(worth('max(1, 2e1, 3) - min(1, .5)')).to.equal(19.5);
    expect(worth('log10(1000) + sqrt(abs(-9))')).to.equal(6);
  });

  it('take names with a slash as they are, and any in quotes', () => {
    expect(worth('val/loss - train/loss', { 'val/loss': 3, 'train/loss': 1 })).to.equal(2);
    expect(worth('loss/acc', { loss: 6, acc: 3 })).to.equal(2);
    expect(worth('"never seen - here" * 2', { 'never seen - here': 4 })).to.equal(8);
    expect(metricsOf(read('val/loss / "x y"').lines[0]!.expression)).to.deep.equal([
      'val/loss',
      'x y',
    ]);
    expect(Number.isNaN(worth('val/loss', {}))).to.equal(true);
  });

  it('are several lines parted by commas, of the runs that an @ names', () => {
    const formula = read('loss, max(acc, 1) @ vit');
    expect(formula.lines.map(({ text }) => text)).to.deep.equal(['loss', 'max(acc, 1)']);
    expect(formula.runs).to.equal('vit');
    expect(read('loss').runs).to.equal('');
  });

  it('say what is wrong with them', () => {
    expect(faultOf('loss +')).to.match(/at 7: the name of a metric is missing/);
    expect(faultOf('(loss')).to.match(/closing \) is missing/);
    expect(faultOf('loss acc')).to.match(/operator/);
    expect(faultOf('nothing')).to.equal('there is no metric nothing');
    expect(faultOf('"loss')).to.match(/close it with a quote/);
    expect(faultOf('log(loss, acc)')).to.equal('log takes one value');
    expect(faultOf(Array.from({ length: 9 }, () => 'loss').join(','))).to.match(/at most 8 lines/);
    expect(faultOf('('.repeat(40))).to.match(/more than 30 deep/);
    expect(faultOf('-'.repeat(900))).to.match(/more than 30 deep/);
    expect(faultOf('1'.repeat(1001))).to.match(/at most 1000 letters/);
  });

  it('are read, or told what is wrong, whatever the text is', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9/"'()+*^, @.-]{0,40}$/), (text) => {
        const found = readFormula(text, known);
        expect('fault' in found ? found.fault.length : found.lines.length).to.be.greaterThan(0);
      }),
    );
  });

  it('have a point where all metrics have a value there or before, and make nothing up', () => {
    const curve = (...points: readonly (readonly [number, number])[]) => ({
      x: Float64Array.from(points, ([x]) => x),
      y: Float32Array.from(points, ([, y]) => y),
    });
    const { x, y } = pointsOf(
      read('val/loss - train/loss').lines[0]!.expression,
      new Map([
        ['train/loss', curve([0, 1], [1, 2], [2, 4], [3, 8])],
        ['val/loss', curve([1, 10], [3, 20])],
      ]),
    );
    expect([...x]).to.deep.equal([1, 2, 3]);
    expect([...y]).to.deep.equal([8, 6, 12]);
    expect(pointsOf(read('log(loss)').lines[0]!.expression, new Map()).x).to.have.length(0);
    expect([
      ...pointsOf(
        read('log(loss)').lines[0]!.expression,
        new Map([['loss', curve([0, -1], [1, 1])]]),
      ).x,
    ]).to.deep.equal([1]);
  });
});

describe('runs below others', () => {
  it('are told by columns whose name says so', () => {
    for (const name of [
      'parent',
      'parent_run_id',
      'parentRunId',
      'mlflow.parentRunId',
      'Parent key',
    ])
      expect([name, isParentColumn({ kind: 'other', name })]).to.deep.equal([name, true]);
    for (const name of ['transparent', 'parents', 'parent_lr', 'apparent_id'])
      expect([name, isParentColumn({ kind: 'other', name })]).to.deep.equal([name, false]);
    expect(isParentColumn({ kind: 'metric', name: 'parent' })).to.equal(false);
  });

  it('are asked for by the keys of their parents, and within a query', () => {
    const column = { kind: 'other', name: 'parent' } as const;
    expect(childrenOf(column, ['a', 'b']).rules).to.have.length(2);
    expect(bothRules(undefined, hasParent(column, false)).rules).to.deep.equal([
      { field: 'parent', source: 'log_other', operator: 'is_null', type: 'string', value: '' },
    ]);
    expect(bothRules(childrenOf(column, ['a']), hasParent(column, true)).condition).to.equal('AND');
  });
});
