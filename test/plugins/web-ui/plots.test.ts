// What plots and groups of runs tell of many numbers, without a browser.
import { expect } from 'chai';
import fc from 'fast-check';
import { entriesBelow } from '#plugins/web-ui/pure/column-tree';
import { svgOf } from '#plugins/web-ui/pure/drawing';
import { markedPoints, markerPath, strokeAt, strokeCount } from '#plugins/web-ui/pure/markers';
import { evenly, fieldOutlines, matricesOf, overlaid } from '#plugins/web-ui/pure/media';
import { drawingOf, sharesOf } from '#plugins/web-ui/pure/panel-drawing';
import { shownColumns, sinceOf, usualColumns } from '#plugins/web-ui/pure/run-page';
import {
  endsOf,
  figuresOf,
  meanText,
  readSpread,
  spreads,
  spreadText,
} from '#plugins/web-ui/pure/spread';
import { stagesElsewhere } from '#plugins/web-ui/pure/stages';
import { boxOf, trendOf } from '#plugins/web-ui/pure/statistics';

const look = {
  axis: {
    x: 'step',
    logX: false,
    smoothing: 0,
    smoothBy: 'exponential',
    range: undefined,
  },
  ...{ logY: false, band: false, clip: false, dark: false },
  nameOf: (run: string) => run,
  colourOf: () => 'rgb(1 2 3)',
  dashOf: () => undefined,
} as const;

describe('plots and groups of the web UI without a browser', () => {
  it('tell the mean and how far values lie from it, by deviation, error or ends', () => {
    const figures = figuresOf([1, 2, 3, 4]);
    expect(meanText(figures)).to.equal('2.5');
    expect(spreadText(figures, 'deviation')).to.equal('± 1.3');
    expect(spreadText(figures, 'standard error')).to.equal('± 0.65');
    expect(spreadText(figures, 'range')).to.equal('1 to 4');
  });

  it('tell no spread of one value, and no mean of none', () => {
    for (const spread of spreads) expect(endsOf(figuresOf([3]), spread)).to.equal(undefined);
    expect([meanText(figuresOf([])), spreadText(figuresOf([]), 'range')]).to.deep.equal(['–', '']);
    expect(readSpread('nothing')).to.equal('deviation');
  });

  it('draw of a group what is chosen around its mean', () => {
    const columns = {
      mean: Float32Array.of(2),
      deviation: Float32Array.of(1),
      count: Float32Array.of(5),
      min: Float32Array.of(0.5),
      max: Float32Array.of(4),
    };
    const group = { name: 'a', metric: 'm', runs: ['1', '2', '3', '4', '5'] };
    const curves = {
      buckets: 400,
      curves: [],
      groups: [{ ...group, x: Float64Array.of(0), columns }],
    };
    const ends = spreads.map((spread) => {
      const [line] = drawingOf(curves, { ...look, spread }).drawing.lines;
      return [line?.low?.[0], line?.high?.[0]];
    });
    expect(ends).to.deep.equal([
      [1, 3],
      [1.5, 2.5],
      [0.5, 4],
    ]);
    expect(sharesOf(curves, 0, 'standard error')[0]).to.equal(
      'mean ± standard error of 5 runs in 1 groups',
    );
  });

  it('have a stroke and a mark of its own for each of sixteen lines', () => {
    const all = Array.from({ length: strokeCount }, (_, at) => JSON.stringify(strokeAt(at)));
    expect(new Set(all).size).to.equal(16);
    expect(strokeAt(strokeCount)).to.deep.equal(strokeAt(0));
  });

  it('put marks apart from each other, at points of the line, at least one', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 2000 }), { minLength: 1, maxLength: 60 }),
        fc.nat(40),
        (xs, line) => {
          const points = [...new Set(xs)].sort((a, b) => a - b).map((x) => [x, 1] as const);
          const marked = markedPoints(points, line);
          expect(marked.length).to.be.greaterThan(0);
          expect(points).to.include.members([...marked]);
          marked.slice(1).forEach(([x], at) => {
            expect(x - (marked[at]?.[0] ?? 0)).to.be.at.least(80);
          });
        },
      ),
    );
    expect(markedPoints([], 3)).to.deep.equal([]);
    expect(new Set([0, 1, 2, 3].map((one) => markerPath(one, 5, 5, 3))).size).to.equal(4);
  });

  it('save the marks of lines too', () => {
    const line = { key: 'k', name: 'n', colour: 'rgb(1 2 3)', y: [1, 2, 3] };
    const drawing = { x: [0, 1, 2], dark: false, logX: false, logY: false, times: false };
    const plain = svgOf({ ...drawing, lines: [line] }, 't', 's');
    const marked = svgOf({ ...drawing, lines: [{ ...line, marker: 1 }] }, 't', 's');
    expect(plain).to.not.contain('<path fill="rgb(1 2 3)"');
    expect(marked).to.contain('<path fill="rgb(1 2 3)" d="M');
  });

  it('draw a dot for a line of one point, and none for others', () => {
    const line = { key: 'a', name: 'a', colour: 'rgb(1 2 3)' };
    const drawing = { ...{ dark: false, logX: false, logY: false, times: false }, x: [0, 1, 2] };
    const dots = (y: readonly (number | null)[]) =>
      svgOf({ ...drawing, lines: [{ ...line, y }] }, 't', 's').match(/<circle[^>]*>/g) ?? [];
    expect(dots([null, 5, null])).to.have.length(1);
    expect(dots([null, 5, null])[0]).to.contain('fill="rgb(1 2 3)"');
    expect(dots([1, 5, null])).to.deep.equal([]);
    expect(dots([null, null, null])).to.deep.equal([]);
  });

  it('draw the fields of a matrix with few outlines, each field in one', () => {
    const values = Array.from({ length: 100 }, (_, row) =>
      Array.from({ length: 100 }, (_more, column) => row * 100 + column),
    );
    const outlines = fieldOutlines(values, 9999, { side: 4, left: 90 });
    expect(outlines.length).to.be.within(40, 49);
    const fields = outlines.flatMap(({ d }) => d.match(/M\d+ \d+/g) ?? []);
    expect(new Set(fields).size).to.equal(10_000);
    expect(outlines.find(({ part }) => part === 1)?.d).to.contain('M486 396h4v4h-4z');
    expect(fieldOutlines([[0, 0]], 0, { side: 9, left: 0 })).to.deep.equal([
      { part: 0, d: 'M0 0h8v8h-8zM9 0h8v8h-8z' },
    ]);
  });

  it('have a box around the middle half of values, and tell what lies far outside', () => {
    expect(boxOf([1, 2, 3, 4, 5, 100])).to.deep.equal({
      low: 1,
      first: 2.25,
      middle: 3.5,
      third: 4.75,
      high: 5,
      outside: [100],
    });
    expect(boxOf([7])).to.deep.include({ low: 7, middle: 7, high: 7 });
    expect(boxOf([NaN, Infinity])).to.equal(undefined);
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1 }),
        (values) => {
          const box = boxOf(values)!;
          expect(box.first).to.be.at.most(box.middle);
          expect(box.middle).to.be.at.most(box.third);
        },
      ),
    );
  });

  it('find the line that lies nearest to points, and none where there is none', () => {
    const found = trendOf([
      [0, 1],
      [1, 3],
      [2, 5],
    ]);
    expect(found).to.deep.equal({ slope: 2, from: 1, fit: 1 });
    expect(
      trendOf([
        [0, 1],
        [1, 3],
      ]),
    ).to.equal(undefined);
    expect(
      trendOf([
        [1, 1],
        [1, 2],
        [1, 3],
      ]),
    ).to.equal(undefined);
  });

  it('put histograms into the same rows, each as parts of its whole', () => {
    const found = overlaid(
      [
        { key: 'a', bins: { from: [0, 1], counts: [1, 3] } },
        { key: 'b', bins: { from: [2], counts: [8] } },
        { key: 'none', bins: { from: [], counts: [] } },
      ],
      4,
    );
    expect(found).to.deep.equal({
      ...{ low: 0, high: 2, rows: 4, top: 1 },
      lines: [
        { key: 'a', parts: [0.25, 0, 0.75, 0] },
        { key: 'b', parts: [0, 0, 0, 1] },
      ],
    });
    expect(overlaid([])).to.equal(undefined);
  });

  it('take of many at most so many, evenly apart, with the first and the last', () => {
    expect(evenly([1, 2, 3], 3)).to.deep.equal([1, 2, 3]);
    expect(evenly([0, 1, 2, 3, 4, 5, 6, 7, 8], 3)).to.deep.equal([0, 4, 8]);
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2000 }),
        fc.integer({ min: 2, max: 90 }),
        (count, most) => {
          const all = Array.from({ length: count }, (_, at) => at);
          const some = evenly(all, most);
          expect(some).to.have.length(Math.min(count, most));
          expect(new Set(some).size).to.equal(some.length);
          expect([some[0], some.at(-1)]).to.deep.equal([all[0], all.at(-1)]);
        },
      ),
    );
  });

  it('put two matrices over the labels of both, and find where they differ most', () => {
    const names = { rowLabel: 'is', columnLabel: 'taken for', title: '' };
    const one = {
      ...names,
      labels: ['cat', 'dog'],
      matrix: [
        [3, 1],
        [0, 4],
      ],
    };
    const other = {
      ...names,
      labels: ['dog', 'cat', 'cow'],
      matrix: [
        [4, 0, 0],
        [2, 2, 0],
        [0, 0, 5],
      ],
    };
    const counts = matricesOf(one, other, false);
    expect(counts.labels).to.deep.equal(['cat', 'dog', 'cow']);
    expect(counts.both[1]).to.deep.equal([
      [2, 2, 0],
      [0, 4, 0],
      [0, 0, 5],
    ]);
    expect(counts.top).to.equal(5);
    expect(counts.differences[0]).to.deep.equal({ row: 'cow', column: 'cow', values: [0, 5] });
    expect(matricesOf(one, other, true).differences.at(-1)?.values).to.deep.equal([0.25, 0.5]);
    expect(matricesOf(one, one, true).differences).to.deep.equal([]);
  });

  it('put columns below what stands before a slash, where there are several', () => {
    const columns = [
      'loss',
      'val/acc',
      'val/loss',
      'layer/0/w',
      'layer/0/b',
      'layer/0/c',
      'layer/1/w',
    ].map((name) => ({ kind: 'metric', name }));
    const shown = (prefix: string, of: readonly { kind: string; name: string }[] = columns) =>
      entriesBelow(of, prefix).map((one) =>
        'column' in one ? one.column.name : `${one.prefix} ${one.inside.length}`,
      );
    expect(shown('')).to.deep.equal(['loss', 'val/acc', 'val/loss', 'layer/ 4']);
    const layers = columns.slice(3);
    expect(shown('layer/', layers)).to.deep.equal(['layer/0/ 3', 'layer/1/w']);
    expect(shown('layer/0/', layers.slice(0, 3))).to.deep.equal([
      'layer/0/w',
      'layer/0/b',
      'layer/0/c',
    ]);
    const odd = ['/a', '/b', '/c', 'x/', 'x/', 'x/'].map((name) => ({ kind: 'other', name }));
    expect(shown('', odd)).to.have.length(6);
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[ab/]{1,6}$/)), (names) => {
        const all = names.map((name) => ({ kind: 'other', name }));
        const count = entriesBelow(all, '').reduce(
          (sum, one) => sum + ('column' in one ? 1 : one.inside.length),
          0,
        );
        expect(count).to.equal(all.length);
      }),
    );
  });

  it('look at parameters first that are known to differ, then at those of which nothing is known', () => {
    const parameter = (name: string, more: object) => ({
      kind: 'parameter' as const,
      name,
      ...more,
    });
    const even = Array.from({ length: 40 }, (_, at) =>
      parameter(`even ${at}`, { type: 'number', min: 1, max: 1 }),
    );
    const known = [
      ...even,
      parameter('lr', { type: 'number', min: 1, max: 2 }),
      parameter('text', { type: 'text' }),
    ];
    const names = usualColumns(known).flatMap(({ kind, name }) =>
      kind === 'parameter' ? [name] : [],
    );
    expect(names).to.have.length(12);
    expect(names.slice(-2)).to.deep.equal(['lr', 'text']);
  });

  it('show no metric that no run has, and nothing else that is the same, where only differing columns are', () => {
    const column = (kind: 'metric' | 'other', name: string) => ({ kind, name }) as const;
    const columns = [
      column('metric', 'none'),
      column('metric', 'same'),
      column('other', 'same'),
      column('other', 'not'),
    ];
    const values = [
      [null, null],
      [1, 1],
      ['a', 'a'],
      ['a', 'b'],
    ];
    const shown = (differing: boolean) =>
      shownColumns({ chosen: columns, columns, pinned: [], differing }, values).map(
        ({ kind, name }) => `${kind} ${name}`,
      );
    expect(shown(true)).to.deep.equal(['metric same', 'other not']);
    expect(shown(false)).to.have.length(4);
  });

  it('know the stages that other versions have', () => {
    const [first, second] = [
      { version: '1', stages: ['production', 'kept'] },
      { version: '2', stages: ['kept'] },
    ];
    expect(stagesElsewhere([first, second], second)).to.deep.equal([
      { stage: 'production', holders: [first] },
    ]);
    expect(stagesElsewhere([first, second], first)).to.deep.equal([]);
  });

  it('ask for the newest runs of a query by when the last of them began', () => {
    const rules = { condition: 'OR' as const, rules: [] };
    expect(sinceOf(rules, undefined)).to.equal(rules);
    expect(sinceOf(rules, 7)?.rules).to.have.length(2);
    expect(sinceOf(undefined, 7)).to.deep.equal({
      condition: 'AND',
      rules: [
        {
          field: 'start_server_timestamp',
          source: 'metadata',
          operator: 'greater_or_equal',
          type: 'double',
          value: 7,
        },
      ],
    });
  });
});
