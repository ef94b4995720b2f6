// What the web UI works out without a browser.
import { expect } from 'chai';
import fc from 'fast-check';
import { pathOf, readList, readPlace, withQuery, writeList } from '#plugins/web-ui/pure/address';
import {
  columnKinds,
  columnValues,
  differs,
  readColumn,
  usualDirection,
  withValue,
  writeColumn,
} from '#plugins/web-ui/pure/columns';
import { differenceOf } from '#plugins/web-ui/pure/compared';
import {
  joinColumns,
  literalOf,
  matcherOf,
  readCurves,
  sectionsOf,
} from '#plugins/web-ui/pure/curves';
import { divergenceOf, firstDivergences } from '#plugins/web-ui/pure/divergence';
import { clipOf } from '#plugins/web-ui/pure/clip';
import { svgOf, ticksOf } from '#plugins/web-ui/pure/drawing';
import {
  csvLine,
  formatAgo,
  formatBytes,
  formatCount,
  formatNumber,
  formatSpan,
} from '#plugins/web-ui/pure/format';
import { bothOf, claimOf, groupsOf } from '#plugins/web-ui/pure/grouping';
import { liveStatement, placesOf } from '#plugins/web-ui/pure/lineage';
import {
  atStep,
  kindOf,
  project,
  readBins,
  readCells,
  readConfusion,
  readJson,
  readPoints,
  rebinned,
} from '#plugins/web-ui/pure/media';
import { axisOf } from '#plugins/web-ui/pure/plots';
import { filesInParts } from '#plugins/web-ui/pure/run-files';
import { readScene, turned, turnedLines } from '#plugins/web-ui/pure/space';
import { changesTo, contentOf, readContent, sameContent } from '#plugins/web-ui/pure/views';
import { completionAt, quoted, readQuery } from '#plugins/web-ui/pure/query';

const name = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' });

const noisy = (length: number, from: number) => ({
  metric: 'm',
  x: Array.from({ length }, (_, at) => at),
  y: Array.from({ length }, (_, at) => Math.sin(at * 7.3) * 0.01 + (at >= from ? 0.5 : 0)),
});

describe('the web UI without a browser', () => {
  it('reads from an address what it shows, whatever the names are', () => {
    fc.assert(
      fc.property(name, name, name, (workspace, project, key) => {
        expect(readPlace(pathOf('w', workspace, 'p', project, 'run', key, 'logs'))).to.deep.equal({
          screen: 'run',
          workspace,
          project,
          key,
          tab: 'logs',
        });
      }),
    );
    expect(readPlace(pathOf('w', 'a', 'model', 'b/c', '1.0'))).to.deep.equal({
      screen: 'model',
      workspace: 'a',
      name: 'b/c',
      version: '1.0',
    });
    expect(readPlace('/w/a/artifacts')).to.deep.equal({ screen: 'artifacts', workspace: 'a' });
    expect(readPlace('/w/a/members')).to.deep.equal({ screen: 'members', workspace: 'a' });
    expect(readPlace('/w/settings')).to.deep.equal({ screen: 'workspace', workspace: 'settings' });
    expect(readPlace('/settings')).to.deep.equal({ screen: 'settings', part: 'account' });
    expect(readPlace('/settings/keys')).to.deep.equal({ screen: 'settings', part: 'keys' });
    expect(readPlace('/settings/keys/more').screen).to.equal('nothing');
    expect(readPlace('/w')).to.deep.equal({ screen: 'home' });
    expect(readPlace('/w/a/')).to.deep.equal({ screen: 'workspace', workspace: 'a' });
    expect(readPlace('/w/a/p/b')).to.deep.include({ screen: 'runs', project: 'b' });
    for (const path of ['/', '/x', '/w/a/b', '/w/a/p/b/nothing', '/w/a/p/b/run/k/t/more'])
      expect([path, readPlace(path).screen]).to.deep.equal([path, 'nothing']);
  });

  it('keeps lists and columns in the query of an address as they were', () => {
    fc.assert(
      fc.property(fc.array(name), (names) => {
        expect(readList(writeList(names))).to.deep.equal(names);
      }),
    );
    const plain = fc.record({ kind: fc.constantFrom(...columnKinds), name });
    const direction = fc.constantFrom('minimize' as const, 'maximize' as const, undefined);
    const valued = fc
      .tuple(plain, fc.constantFrom(...columnValues), direction)
      .map((given) => withValue(...given));
    const column = fc.oneof(plain, valued);
    fc.assert(
      fc.property(column, (one) => {
        expect(readColumn(writeColumn(one))).to.deep.equal(one);
      }),
    );
    for (const text of ['', 'metric', 'metric:', 'nothing:a', 'metric:%'])
      expect(readColumn(text)).to.equal(undefined);
    expect(withQuery('?a=1&b=2', { a: undefined, c: 'x y' })).to.equal('?b=2&c=x+y');
  });

  it('tells columns that differ from those that do not', () => {
    expect(differs([1, 1, 1])).to.equal(false);
    expect(differs([1, '1'])).to.equal(true);
    expect(differs([null, undefined])).to.equal(false);
    expect(differs([])).to.equal(false);
  });

  it('reads a query as the server’s rules', () => {
    expect(readQuery('')).to.deep.equal({ rules: undefined });
    expect(readQuery('Metric("val/acc") > 0.8 & ~Tag("bad")')).to.deep.equal({
      rules: {
        condition: 'AND',
        rules: [
          { field: 'val/acc', source: 'metrics', operator: 'greater', type: 'double', value: 0.8 },
          { field: 'bad', source: 'tag', operator: 'not_equal', type: 'string', value: 'bad' },
        ],
      },
    });
    const matching = (operator: string, value: string) => ({
      rules: {
        condition: 'AND',
        rules: [{ field: 'Name', source: 'log_other', type: 'string', operator, value }],
      },
    });
    expect(readQuery(String.raw`Name =~ "^vit-\d+\"$"`)).to.deep.equal(
      matching('matches', String.raw`^vit-\d+"$`),
    );
    expect(readQuery("~(name matches 'a|b')")).to.deep.equal(matching('not_matches', 'a|b'));
    expect(readQuery('Other("Name") =~ ^vit')).to.deep.equal(matching('matches', '^vit'));
    expect(readQuery('~(Param("lr") <= 1e-3 | vit)')).to.deep.equal({
      rules: {
        condition: 'AND',
        rules: [
          { field: 'lr', source: 'params', operator: 'greater', type: 'double', value: 0.001 },
          {
            field: 'Name',
            source: 'log_other',
            operator: 'not_contains',
            type: 'string',
            value: 'vit',
            ignoreCase: true,
          },
        ],
      },
    });
  });

  it('knows of which metrics less is better, by their names', () => {
    for (const name of [
      'loss',
      'val/loss',
      'train_loss',
      'trainLoss',
      'WER',
      'errors',
      'rmse@5',
      'mean error',
    ])
      expect([name, usualDirection(name)]).to.deep.equal([name, 'minimize']);
    for (const name of ['val/acc', 'f1', 'reward', 'lossless_ratio', 'mirror'])
      expect([name, usualDirection(name)]).to.deep.equal([name, 'maximize']);
  });

  it('says where a query is wrong', () => {
    const faults: readonly (readonly [string, number])[] = [
      ['Metric("a" > 1', 11],
      ['Metric("a") >', 13],
      ['Metric("a', 7],
      ['a b', 2],
      ['(a', 2],
      ['a & ', 4],
      ['Name =~', 7],
      ['a & Name =~ "x(?=y)"', 14],
      [String.raw`Name =~ "(a)\1"`, 12],
      [`Name =~ "${'a'.repeat(201)}"`, 8],
      ['Param("lr") =~ "1"', 12],
    ];
    for (const [query, at] of faults) {
      const read = readQuery(query);
      expect([query, 'fault' in read ? read.fault.at : undefined]).to.deep.equal([query, at]);
    }
    expect(readQuery(`${'('.repeat(1000)}a`)).to.have.property('fault');
  });

  it('reads any text as a query or says what is wrong, and any name that is quoted', () => {
    fc.assert(
      fc.property(fc.string(), (query) => {
        const read = readQuery(query);
        if ('fault' in read) expect(read.fault.at).to.be.within(0, query.length);
      }),
    );
    fc.assert(
      fc.property(name, (field) => {
        const read = readQuery(`Metric(${quoted(field)}) > 1`);
        expect('rules' in read ? read.rules?.rules[0] : undefined).to.deep.include({ field });
      }),
    );
  });

  it('knows which name is being written', () => {
    expect(completionAt('a & Metric("val/a', 17)).to.deep.equal({
      word: 'Metric',
      part: 'val/a',
      from: 12,
    });
    expect(completionAt('Metric("a") > 1', 15)).to.equal(undefined);
  });

  it('writes numbers, spans and sizes shortly', () => {
    expect([0, 0.91954321, 1e-5, 123456789012, 5950].map(formatNumber)).to.deep.equal([
      '0',
      '0.91954',
      '1e-5',
      '1.23e11',
      '5950',
    ]);
    expect([5, 59_000, 3_600_000, 93_784_000].map(formatSpan)).to.deep.equal([
      '5 ms',
      '59s',
      '1h',
      '1d 2h',
    ]);
    expect(formatAgo(0, 7_300_000)).to.equal('2h ago');
    expect(formatBytes(412_000_000)).to.equal('412 MB');
    expect(formatCount(1_234_567)).to.equal('1\u202f234\u202f567');
  });

  it('writes no formula into a table for spreadsheets', () => {
    expect(csvLine(['=1+1', 'a,"b"', -3, null])).to.equal('\'=1+1,"a,""b""",-3,');
  });

  it('reads the bytes of curves as the row lays them out', () => {
    const head = new TextEncoder().encode(
      JSON.stringify({
        from: 100,
        to: 102,
        buckets: 2,
        x0: 100,
        series: [
          {
            run: 'r',
            metric: 'm',
            points: 2,
            total: 3,
            unplaced: 0,
            skipped: 1,
            columns: ['x', 'last'],
            length: 2,
            offset: 0,
          },
        ],
        groups: [],
      }),
    );
    const begin = Math.ceil((4 + head.length) / 4) * 4;
    const bytes = new ArrayBuffer(begin + 16);
    const view = new DataView(bytes);
    view.setUint32(0, head.length, true);
    new Uint8Array(bytes).set(head, 4);
    [0, 2, 0.5, 0.25].forEach((value, at) => {
      view.setFloat32(begin + 4 * at, value, true);
    });
    const {
      buckets,
      curves: [curve],
    } = readCurves(bytes);
    expect(buckets).to.equal(2);
    expect([...(curve?.x ?? [])]).to.deep.equal([100, 102]);
    expect([...(curve?.columns['last'] ?? [])]).to.deep.equal([0.5, 0.25]);
  });

  it('joins curves of other places over one axis and makes nothing up', () => {
    const of = (x: readonly number[], y: readonly number[]) => ({
      x: Float64Array.from(x),
      y: Float32Array.from(y),
    });
    expect(joinColumns([of([0, 2], [1, 2]), of([1, 2], [3, 4])])).to.deep.equal({
      x: [0, 1, 2],
      lines: [
        [1, null, 2],
        [null, 3, 4],
      ],
    });
  });

  it('clips to where nearly all values lie and counts those outside', () => {
    const y = [...Array.from({ length: 200 }, (_, at) => at / 200), 1000];
    const cut = clipOf([{ key: 'a', name: 'a', colour: 'red', y }]);
    expect(cut?.outside).to.equal(1);
    expect(cut?.range[1]).to.be.below(2);
    expect(clipOf([{ key: 'a', name: 'a', colour: 'red', y: [1, 1, null] }])).to.equal(undefined);
  });

  it('draws a chart as SVG in which stored names are text', () => {
    const svg = svgOf(
      {
        x: [0, 1, 2],
        lines: [{ key: '"><script>', name: '<script>', colour: 'hsl(1 2% 3%)', y: [1, null, 3] }],
        dark: false,
        logX: false,
        logY: false,
        times: false,
      },
      '<b>',
      'all',
    );
    expect(svg).to.contain('&lt;script&gt;').and.contain('stroke="hsl(1 2% 3%)"');
    expect(svg).to.not.contain('<script>').and.not.contain('NaN');
  });

  it('has round ticks, and powers of ten on a logarithm', () => {
    expect(ticksOf(0, 1, false)).to.deep.equal([0, 0.2, 0.4, 0.6, 0.8, 1]);
    expect(ticksOf(0.001, 100, true)).to.deep.equal([0.001, 0.01, 0.1, 1, 10, 100]);
  });

  it('asks by a query for the runs that have a value, whatever it is', () => {
    expect(claimOf({ kind: 'parameter', name: 'a"b' }, 'x"y')).to.equal(
      'Param("a\\"b") == "x\\"y"',
    );
    expect(claimOf({ kind: 'metric', name: 'm' }, 0.5)).to.equal('Metric("m") == 0.5');
    expect(claimOf({ kind: 'parameter', name: 'm' }, null)).to.equal('~Param("m")');
    expect(bothOf('a | b', 'c')).to.equal('(a | b) & c');
    expect(bothOf('', 'c')).to.equal('c');
  });

  it('groups runs by what they have, those without a value together', () => {
    const values: Readonly<Record<string, unknown>> = { a: 1, b: null, c: 1 };
    expect(groupsOf(['a', 'b', 'c', 'd'], (run) => values[run])).to.deep.equal([
      { name: '1', runs: ['a', 'c'] },
      { name: 'no value', runs: ['b', 'd'] },
    ]);
  });

  it('keeps in a view what an address says, and nothing that is no member', () => {
    const content = contentOf(new URLSearchParams('q=a&peek=x&x=wall&smooth='));
    expect(content).to.deep.equal({ q: 'a', x: 'wall' });
    expect(readContent({ q: 'a', evil: 'b', x: 3 })).to.deep.equal({ q: 'a' });
    expect(sameContent(content, { q: 'a', x: 'wall' })).to.equal(true);
    expect(changesTo({ q: 'a' })).to.include({ q: 'a', sort: undefined });
    const ofTraces = contentOf(new URLSearchParams('filters=f&peek=x&range=7d&group=g'), 'traces');
    expect(ofTraces).to.deep.equal({ filters: 'f', range: '7d' });
    expect(sameContent(ofTraces, { filters: 'f' }, 'traces')).to.equal(false);
  });

  it('places numbers and texts on the axis of a plot', () => {
    const numbers = axisOf([1, 10, 100, null], String);
    expect([numbers.place(10), numbers.place(null), numbers.valueAt(1)]).to.deep.equal([
      0.5,
      undefined,
      100,
    ]);
    // A run that diverged has no place on an axis of numbers, and does not make texts of them.
    const far = axisOf([1e308, -1e308], String);
    expect([far.place(-1e308), far.place(0), far.place(1e308)]).to.deep.equal([0, 0.5, 1]);
    expect([far.valueAt(0), far.valueAt(1)]).to.deep.equal([-1e308, 1e308]);
    expect(axisOf([1e308], String).place(1e308)).to.equal(0.5);
    const diverged = axisOf([1, 'NaN', 3, '-Infinity'], String);
    expect([diverged.numeric, diverged.place(3), diverged.place('NaN')]).to.deep.equal([
      true,
      1,
      undefined,
    ]);
    const texts = axisOf(['b', 'a'], String);
    expect([texts.place('a'), texts.valueAt(0.9), texts.numeric]).to.deep.equal([0.25, 'b', false]);
  });

  it('puts metrics into sections by their prefix, the system’s last', () => {
    expect(
      sectionsOf(['sys.gpu', 'val/b', 'loss', 'train/a', 'val/a']).map((one) => [
        one.name,
        ...one.metrics,
      ]),
    ).to.deep.equal([
      ['', 'loss'],
      ['train', 'train/a'],
      ['val', 'val/a', 'val/b'],
      ['system', 'sys.gpu'],
    ]);
  });

  it('knows the text that each name has which an expression finds', () => {
    expect(literalOf('metric_299')).to.equal('metric_299');
    expect(literalOf('^val/loss$')).to.equal('val/loss');
    expect(literalOf('^layer.*weights')).to.equal('weights');
    expect(literalOf('part\\d+/acc')).to.equal('part');
    expect(literalOf('(train|val)/loss')).to.equal('');
    fc.assert(
      fc.property(
        fc.stringMatching(/^[ab.*?^$]{1,8}$/),
        fc.stringMatching(/^[ab]{0,8}$/),
        (pattern, text) => {
          // A text that is no expression is looked for as it is.
          if (matcherOf(pattern)(text) && !text.includes(pattern))
            expect(text).to.contain(literalOf(pattern));
        },
      ),
    );
  });

  it('finds where a curve leaves another, and nothing in what is the same or only wavers', () => {
    const found = divergenceOf(noisy(200, 1e9), noisy(200, 120));
    expect([found.at, found.unequalAt]).to.deep.equal([120, 120]);
    expect(divergenceOf(noisy(50, 1e9), noisy(50, 1e9))).to.include({
      at: undefined,
      unequalAt: undefined,
      places: 50,
    });
    const one = noisy(200, 1e9);
    const other = { ...one, y: one.y.map((value, at) => value + Math.sin(at * 3.1) * 0.01) };
    expect(divergenceOf(one, other).at).to.equal(undefined);
    expect(
      firstDivergences([
        { metric: 'b', at: undefined, sigmas: 0, unequalAt: undefined, places: 1 },
        { metric: 'a', at: 3, sigmas: 9, unequalAt: 1, places: 5 },
      ]).map(({ metric }) => metric),
    ).to.deep.equal(['a', 'b']);
    expect(
      divergenceOf({ metric: 'm', x: [], y: [] }, { metric: 'm', x: [], y: [] }).places,
    ).to.equal(0);
  });

  it('tells by how much a value differs from another, with its sign', () => {
    expect(differenceOf('0.5', 0.25)).to.equal('+0.25');
    expect(differenceOf(1, 2)).to.equal('−1');
    for (const [one, other] of [
      ['a', 1],
      [1, 1],
      ['', 1],
      [null, 1],
    ])
      expect(differenceOf(one, other)).to.equal(undefined);
  });

  it('reads what clients log as pictures of numbers, and nothing from what is none', () => {
    expect(readJson('{"a":1}')).to.deep.equal({ a: 1 });
    for (const text of ['', '1', 'null', '{']) expect(readJson(text)).to.equal(undefined);
    expect(readConfusion({ matrix: [[1, 2]], labels: ['a'] })).to.deep.include({ labels: ['a'] });
    expect(readConfusion({})).to.equal(undefined);
    expect(readPoints({ x: [1], y: [] })).to.equal(undefined);
    const bins = readBins({
      start: 1,
      stop: 8,
      step: 2,
      offset: 0,
      index_values: [
        [6, 2],
        [5, 1],
        [4, 3],
      ],
    });
    expect(bins).to.deep.equal({ from: [-1, 0, 1], counts: [3, 1, 2] });
    expect(rebinned(bins ?? { from: [], counts: [] }, -1, 1, 2)).to.deep.equal([3, 3]);
    expect(readBins({ start: 0, stop: 1, step: 2, offset: 0 })).to.equal(undefined);
  });

  it('reads cells in quotes, and no more rows than are wanted', () => {
    expect(readCells('a,"b ""c"", d"\r\n1,2', ',', 9)).to.deep.equal([
      ['a', 'b "c", d'],
      ['1', '2'],
    ]);
    expect(readCells('1\n2\n3\n', ',', 2)).to.deep.equal([['1'], ['2']]);
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(readCells(text, ',', 5).length).to.be.at.most(5);
      }),
    );
  });

  it('lays points out along the directions in which they lie farthest apart', () => {
    const places = project([
      [0, 0, 0],
      [10, 0, 0],
      [5, 1, 0],
    ]);
    expect(Math.abs((places[0]?.[0] ?? 0) - (places[1]?.[0] ?? 0))).to.be.closeTo(10, 0.1);
  });

  it('takes of files of one name the last at a step, else the first', () => {
    const files = [{ step: 20 }, { step: 0 }, { step: 10 }];
    expect(atStep(files, 15)?.step).to.equal(10);
    expect(atStep([{ step: 20 }], 15)?.step).to.equal(20);
    expect(kindOf({ type: 'asset', fileName: 'a.CSV', image: false })).to.equal('table');
    expect(kindOf({ type: 'asset', fileName: 'a.bin', image: false })).to.equal(undefined);
  });

  it('hands out a long list of files in parts that a page takes without a halt, and says what each is looked at as', () => {
    const assets = Array.from({ length: 2500 }, (_, at) => ({
      ...{ assetId: String(at), fileName: at === 0 ? 'vectors-0.tsv' : `${at}.bin`, fileSize: 1 },
      ...{ step: at, type: at === 1 ? 'embeddings' : 'asset', image: at > 1, remote: at === 2 },
      metadata: null,
    }));
    const bytes = new TextEncoder().encode(JSON.stringify({ assets })).buffer;
    const parts = [...filesInParts({ run: 'a', bytes })];
    const files = parts.flatMap((part) => ('files' in part ? part.files : []));
    expect(parts.map((part) => ('files' in part ? part.files.length : 0))).to.deep.equal([
      1000, 1000, 500, 0,
    ]);
    expect(files.map(({ id }) => id)).to.deep.equal(assets.map(({ assetId }) => assetId));
    expect(files.slice(0, 4).map(({ kind }) => kind)).to.deep.equal([
      ...[undefined, 'embeddings', undefined, 'image'],
    ]);
  });

  it('puts what came first on the left, a column for each step', () => {
    const { places, width } = placesOf([-1, 0, 1, 1]);
    expect(places.map(({ x }) => x)).to.deep.equal([0, 250, 500, 500]);
    expect([places[2]?.y, places[3]?.y, width]).to.deep.equal([0, 54, 690]);
  });

  it('puts side by side what is joined, so that no line crosses another and the longest column has no gap', () => {
    const joined = [
      ...[1, 2, 3, 4].map((to) => ({ from: 0, to })),
      ...[
        { from: 4, to: 5 },
        { from: 1, to: 6 },
      ],
    ];
    const { places, height } = placesOf([0, 1, 1, 1, 1, 2, 2], joined);
    const [first, ...rest] = places.map(({ y }) => y);
    const middle = rest.slice(0, 4);
    expect([...middle].sort((a, b) => a - b)).to.deep.equal([0, 54, 108, 162]);
    expect([rest[4], rest[5]]).to.deep.equal([middle[3], middle[0]]);
    expect([first, height]).to.deep.equal([0, 202]);
  });

  it('looks for the live traces of any of several versions of prompts', () => {
    const statement = liveStatement({ commits: ['ab12', "c'd"] });
    expect(statement).to.contain('FROM traces');
    expect(statement).to.contain(
      "contains(metadata, 'opik_prompts') AND (contains(metadata, 'ab12') OR contains(metadata, 'c''d'))",
    );
  });

  it('reads points in space and turns them, the farthest first', () => {
    const most = { points: 9, boxes: 9 };
    const { points } = readScene(
      { points: '[1,0,0,1,0,0]\n[-1,0,0]\nnot\n[1]\n', boxes: '' },
      most,
    );
    expect(points).to.deep.equal([
      { x: 1, y: 0, z: 0, colour: 'rgb(255 0 0)' },
      { x: -1, y: 0, z: 0, colour: undefined },
    ]);
    const [far] = turned(points, Math.PI / 2, 0);
    expect(far?.colour).to.equal('rgb(255 0 0)');
    expect(far?.x).to.be.closeTo(0, 1e-9);
    expect(readScene({ points: '', boxes: '' }, most)).to.deep.equal({ points: [], boxes: [] });
  });

  it('reads boxes in space, in one ball with the points, and turns their lines', () => {
    const most = { points: 9, boxes: 2 };
    const edge = [
      [0, 0, 0],
      [2, 0, 0],
    ];
    const box = (more: object) => `${JSON.stringify({ segments: [edge], ...more })}\n`;
    const boxes = `${box({ color: [255, 0, 300], name: 'car' })}${box({ segments: 'x' })}${box({})}`;
    const alone = readScene({ points: '', boxes }, most);
    expect(alone.boxes).to.deep.equal([
      {
        ...{ name: 'car', colour: 'rgb(255 0 255)' },
        lines: [
          [
            [-1, 0, 0],
            [1, 0, 0],
          ],
        ],
      },
    ]);
    const [first] = alone.boxes;
    const [[from, to] = []] = first === undefined ? [] : turnedLines(first, Math.PI, 0);
    expect([from?.x, to?.x]).to.deep.equal([1, -1]);
    // The middle is that of the points; boxes beyond them make the ball larger.
    const both = readScene({ points: '[0,0,0]\n', boxes }, most);
    expect(both.boxes[0]?.lines).to.deep.equal([
      [
        [0, 0, 0],
        [1, 0, 0],
      ],
    ]);
  });
});
