// What the pages of traces work out without a browser.
import { expect } from 'chai';
import fc from 'fast-check';
import { pathOf, readPlace } from '#plugins/web-ui/pure/address';
import {
  faultOf,
  operatorsOf,
  readFilters,
  sentFilters,
  showFilter,
  takesKey,
  takesValue,
  traceFields,
  withFilter,
  writeFilters,
  type TraceFilter,
} from '#plugins/web-ui/pure/trace-filters';
import {
  chartedTime,
  pageQuery,
  selectionOf,
  usualColumns,
  wantedTraces,
} from '#plugins/web-ui/pure/trace-list';
import { atPath, filled, lighten, lightReply } from '#plugins/web-ui/pure/large-values';
import { guideOf } from '#plugins/web-ui/pure/trace-guide';
import {
  barOf,
  isSlow,
  marksOf,
  narrowedTo,
  scaleOf,
  spanMatcher,
  treeOf,
  unfolded,
  type TraceSpan,
} from '#plugins/web-ui/pure/trace-tree';
import {
  formatCost,
  formatDuration,
  isPicture,
  messagesOf,
  previewOf,
  readLines,
} from '#plugins/web-ui/pure/trace-values';

const now = Date.UTC(2026, 10, 24, 12);
const dayMs = 86_400_000;

const span = (id: string, parent?: string, rest: Partial<TraceSpan> = {}): TraceSpan => ({
  ...{ id, parent, name: id, type: 'general', model: undefined, start: 0, end: 10 },
  ...{ cost: 0, tokens: 0, error: undefined },
  ...rest,
});
const drawn = (spans: readonly TraceSpan[]) =>
  treeOf(spans).map(({ span: { id }, depth }) => '-'.repeat(depth) + id);

/** A filter that can be sent: of any field, by an operator of it. */
const anyFilter: fc.Arbitrary<TraceFilter> = fc
  .tuple(
    fc.constantFrom(...Object.keys(traceFields)),
    fc.nat(),
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'grapheme' }),
    fc.integer(),
  )
  .map(([field, nth, key, text, number]) => {
    const compared = traceFields[field] ?? 'text';
    const operators = operatorsOf[compared];
    const operator = operators[nth % operators.length] ?? '=';
    const value =
      compared === 'time'
        ? new Date(number * 1000).toISOString()
        : compared === 'number' || compared === 'scores'
          ? String(number)
          : `v${text}`;
    return {
      field,
      key: takesKey(field) ? `k${key}` : '',
      operator,
      value: takesValue(operator) ? value : '',
    };
  });

describe('the pages of traces without a browser', () => {
  it('read from an address which trace or thread they show, whatever its id is', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (id) => {
        for (const screen of ['trace', 'thread'] as const)
          expect(readPlace(pathOf('w', 'a', 'p', 'b', screen, id))).to.deep.equal({
            ...{ screen, workspace: 'a', project: 'b', id },
          });
      }),
    );
    expect(readPlace('/w/a/p/b/traces')).to.deep.include({ screen: 'traces' });
    expect(readPlace('/w/a/p/b/threads')).to.deep.include({ screen: 'threads' });
    expect(readPlace('/w/a/p/b/traces/more')).to.deep.equal({ screen: 'nothing' });
    expect(readPlace('/w/a/p/b/trace')).to.deep.equal({ screen: 'nothing' });
  });

  it('keep every filter in the address, whatever stands in it', () => {
    fc.assert(
      fc.property(fc.array(anyFilter, { maxLength: 5 }), (filters) => {
        const search = new URLSearchParams();
        search.set('filters', writeFilters(filters) ?? '');
        const back = new URLSearchParams(search.toString());
        expect(readFilters(back.get('filters'))).to.deep.equal(filters);
      }),
    );
  });

  it('leave out of an address what cannot be sent, whatever it is', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        for (const filter of readFilters(text)) expect(faultOf(filter)).to.equal(undefined);
      }),
    );
    expect(readFilters('name::contains:,constructor::=:1,duration::>:long')).to.deep.equal([]);
    expect(readFilters('name::=:%E0%A4%A')).to.have.length(1);
  });

  it('say of a filter what is wrong with it', () => {
    const fault = (field: string, operator: string, value = '', key = '') =>
      faultOf({ field, key, operator, value });
    expect(fault('nothing', '=')).to.equal('traces have no field nothing');
    expect(fault('error_info', '=', 'x')).to.equal('error_info is not compared by =');
    expect(fault('feedback_scores', '>', '1')).to.equal('name the score');
    expect(fault('duration', '>', 'long')).to.equal('duration is compared with a number');
    expect(fault('start_time', '>', 'noon')).to.contain('is compared with a time');
    expect(fault('tags', 'is_empty')).to.equal(undefined);
  });

  it('send filters as the server reads them', () => {
    const sent = sentFilters([
      { field: 'feedback_scores', key: 'helpful ', operator: '>=', value: ' 0.5' },
      { field: 'start_time', key: '', operator: '>', value: '2026-11-24T12:00Z' },
      { field: 'tags', key: 'x', operator: 'is_empty', value: 'x' },
    ]);
    expect(sent).to.deep.equal([
      { field: 'feedback_scores', key: 'helpful', operator: '>=', value: '0.5' },
      { field: 'start_time', operator: '>', value: '2026-11-24T12:00:00.000Z' },
      { field: 'tags', operator: 'is_empty', value: '' },
    ]);
    const one: TraceFilter = { field: 'metadata', key: 'user.id', operator: '=', value: '7' };
    expect(showFilter(one)).to.equal('metadata.user.id = 7');
    expect(withFilter([one], { ...one })).to.deep.equal([one]);
  });

  it('ask for the page of an address: filters, order, columns and time', () => {
    const search = new URLSearchParams(
      'q=refund&filters=duration::>:100&sort=-score:helpful&cols=start,score%3Ahelpful,nothing&range=24h',
    );
    const wanted = wantedTraces(search, now);
    expect(wanted.columns).to.deep.equal(['start', 'score:helpful']);
    expect(pageQuery(wanted, 2, 50)).to.deep.include({
      page: 2,
      size: 50,
      search: 'refund',
      filters: '[{"field":"duration","operator":">","value":"100"}]',
      sorting: '[{"field":"feedback_scores.helpful","direction":"DESC"}]',
      from_time: '2026-11-23T12:00:00.000Z',
    });
    expect(JSON.parse(pageQuery(wanted, 1, 1).exclude)).to.include.members(['input', 'output']);
  });

  it('look at the last 30 days where an address says nothing that can be meant', () => {
    for (const text of ['', 'range=constructor&cols=toString&sort=hasOwnProperty', 'from=noon']) {
      const wanted = wantedTraces(new URLSearchParams(text), now);
      expect(wanted.columns).to.deep.equal(usualColumns);
      expect(wanted.sort).to.equal(undefined);
      expect(wanted.from).to.equal(now - 30 * dayMs);
    }
    expect(selectionOf(wantedTraces(new URLSearchParams('range=all'), now))).to.deep.equal({});
    const own = new URLSearchParams('from=2026-11-01T00:00Z&to=2026-11-02T00:00Z&range=1h');
    expect(wantedTraces(own, now)).to.deep.include({
      range: undefined,
      to: Date.UTC(2026, 10, 2),
    });
  });

  it('draw hours of some days, days of some months and weeks of years', () => {
    const interval = (days: number | undefined) =>
      chartedTime({ from: days === undefined ? undefined : now - days * dayMs, to: undefined }, now)
        .interval;
    expect([1, 3, 4, 90, 200, undefined].map(interval)).to.deep.equal([
      ...['HOURLY', 'HOURLY', 'DAILY', 'DAILY', 'WEEKLY', 'WEEKLY'],
    ]);
    expect(chartedTime({ from: 0, to: undefined }, now).from).to.equal(now - 730 * dayMs);
  });

  it('put spans below their parents, by when they began', () => {
    const spans = [
      span('late', 'root', { start: 5 }),
      span('root'),
      span('deep', 'early', { start: 3 }),
      span('early', 'root', { start: 1 }),
    ];
    expect(drawn(spans)).to.deep.equal(['root', '-early', '--deep', '-late']);
  });

  it('keep spans whose parent is missing, and those that go round in a circle', () => {
    const spans = [
      span('orphan', 'gone', { start: 2 }),
      span('a', 'c', { start: 3 }),
      span('b', 'a', { start: 4 }),
      span('c', 'b', { start: 5 }),
      span('self', 'self', { start: 6 }),
      span('root', undefined, { start: 1 }),
    ];
    expect(drawn(spans)).to.deep.equal(['root', 'orphan', 'a', '-b', '--c', 'self']);
    expect(treeOf(spans).map(({ lost }) => lost)).to.deep.equal([
      ...[false, true, true, false, false, true],
    ]);
  });

  it('show each span once, whatever spans say of each other', () => {
    const ids = fc.constantFrom(...'abcdefgh');
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.record({ id: ids, parent: fc.option(ids, { nil: undefined }) }), {
          selector: ({ id }) => id,
        }),
        (pairs) => {
          const rows = treeOf(pairs.map(({ id, parent }) => span(id, parent)));
          expect(rows.map(({ span: { id } }) => id).sort()).to.deep.equal(
            pairs.map(({ id }) => id).sort(),
          );
          let before = -1;
          for (const { depth } of rows) {
            expect(depth).to.be.within(0, before + 1);
            before = depth;
          }
        },
      ),
    );
  });

  it('lay out 20,000 spans, side by side or each in the one before, without much waiting', () => {
    const count = 20_000;
    const began = performance.now();
    const deep = Array.from({ length: count }, (_, at) =>
      span(`s${at}`, at === 0 ? undefined : `s${at - 1}`, { start: at, end: count, cost: 1 }),
    );
    const wide = Array.from({ length: count }, (_, at) =>
      span(`s${at}`, at === 0 ? undefined : 's0', { start: at, tokens: 1 }),
    );
    expect(treeOf(deep).at(-1)?.depth).to.equal(count - 1);
    expect(treeOf(deep)[0]?.cost).to.equal(count);
    expect(treeOf(wide)[0]).to.deep.include({ children: count - 1, tokens: count });
    expect(performance.now() - began).to.be.lessThan(2000);
  });

  it('add costs, tokens and errors up, and tell what a span took by itself', () => {
    const spans = [
      span('root', undefined, { end: 100, cost: 1 }),
      span('a', 'root', { start: 10, end: 40, cost: 2, tokens: 5, error: 'x' }),
      span('b', 'root', { start: 30, end: 60, tokens: 7 }),
      span('c', 'b', { start: 30, end: 200 }),
    ];
    const [root, , b] = treeOf(spans);
    expect(root).to.deep.include({ cost: 3, tokens: 12, errorsBelow: 1, ownMs: 50, children: 2 });
    expect(b).to.deep.include({ ownMs: 0 });
    const scale = scaleOf(spans, 0);
    expect(root && isSlow(root, scale)).to.equal(true);
    expect(b && isSlow(b, scale)).to.equal(false);
  });

  it('hide what is below a folded span, and narrow to matches with what is above them', () => {
    const rows = treeOf([
      span('root'),
      span('a', 'root', { start: 1 }),
      span('a1', 'a', { start: 2, model: 'GPT-4o' }),
      span('b', 'root', { start: 3 }),
      span('b1', 'b', { start: 4, error: 'Timeout: late' }),
      span('other', undefined, { start: 5 }),
    ]);
    const names = (all: readonly { readonly span: TraceSpan }[]) => all.map((one) => one.span.id);
    expect(names(unfolded(rows, new Set(['a', 'b'])))).to.deep.equal(['root', 'a', 'b', 'other']);
    expect(names(unfolded(rows, new Set(['root', 'a'])))).to.deep.equal(['root', 'other']);
    expect(names(narrowedTo(rows, spanMatcher('gpt')))).to.deep.equal(['root', 'a', 'a1']);
    expect(names(narrowedTo(rows, spanMatcher(' TIMEOUT')))).to.deep.equal(['root', 'b', 'b1']);
    expect(narrowedTo(rows, () => false)).to.deep.equal([]);
  });

  it('place bars within the scale, also of spans that run or end before they begin', () => {
    const scale = scaleOf([span('a', undefined, { start: 100, end: 300 })], 0);
    expect(barOf(scale, { start: 150, end: 200 })).to.deep.equal({ left: 25, width: 25 });
    expect(barOf(scale, { start: 200, end: undefined })).to.deep.equal({ left: 50, width: 50 });
    expect(barOf(scale, { start: 250, end: 200 })).to.deep.equal({ left: 75, width: 0 });
    expect(barOf(scale, { start: 0, end: 900 })).to.deep.equal({ left: 0, width: 100 });
    expect(marksOf(scale)).to.deep.equal([0, 50, 100, 150]);
    expect(scaleOf([], 0).lastsMs).to.be.greaterThan(0);
    fc.assert(
      fc.property(fc.double({ min: 0.001, max: 1e12, noNaN: true }), (lastsMs) => {
        const marks = marksOf({ from: 0, lastsMs });
        expect(marks.length).to.be.within(1, 6);
        expect(marks.every((one) => one <= lastsMs)).to.equal(true);
      }),
    );
  });

  it('read messages of a conversation in the shapes that models have', () => {
    const said = { role: 'user', content: 'hi' };
    for (const value of [[said], { messages: [said] }, said, { message: said }])
      expect(messagesOf(value)).to.deep.equal([
        { role: 'user', name: undefined, pieces: [{ kind: 'text', text: 'hi' }], calls: [] },
      ]);
    const [answer] = messagesOf({
      choices: [
        {
          message: {
            role: 'assistant',
            content: [{ type: 'text', text: 'look' }, { type: 'odd' }],
            tool_calls: [{ function: { name: 'find', arguments: '{}' } }],
          },
        },
      ],
    }) ?? [undefined];
    expect(answer?.pieces).to.deep.equal([
      { kind: 'text', text: 'look' },
      { kind: 'json', value: { type: 'odd' } },
    ]);
    expect(answer?.calls).to.deep.equal([{ name: 'find', given: '{}' }]);
    for (const value of [null, 'text', 7, [], [1], { messages: [1] }, { role: 'user' }])
      expect(messagesOf(value)).to.equal(undefined);
  });

  it('show as pictures only those that hold nothing else', () => {
    expect(isPicture('data:image/png;base64,iVBORw0KGgo=')).to.equal(true);
    for (const text of [
      'data:image/svg+xml;base64,PHN2Zz4=',
      'data:text/html;base64,PHN2Zz4=',
      'https://example.com/a.png',
      'data:image/png;base64,"><script>',
    ])
      expect(isPicture(text)).to.equal(false);
  });

  it('say of any value in one line what it is', () => {
    expect(previewOf({ messages: [{ role: 'user', content: 'a\n b' }] })).to.equal('a b');
    expect(previewOf({ question: 'why?', k: 3 })).to.equal('why?');
    expect(previewOf({ a: 1, b: 2 })).to.equal('{"a":1,"b":2}');
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(previewOf(value)).to.not.match(/\n/);
        expect(previewOf(value).length).to.be.at.most(301);
      }),
    );
  });

  it('read lines of a stream, and refuse one that broke', () => {
    const bytes = (text: string) => new TextEncoder().encode(text).buffer;
    expect(readLines(bytes('{"id":"a"}\r\n\r\n{"id":"é"}\n'))).to.deep.equal([
      { id: 'a' },
      { id: 'é' },
    ]);
    expect(readLines(bytes(''))).to.deep.equal([]);
    expect(() => readLines(bytes('{"id":"a"}\n{"code":500,"message":"gone"}'))).to.throw('gone');
  });

  it('write costs and durations in as few digits as tell them', () => {
    expect([0, 12.3456, 0.0214, 0.000_001_23].map(formatCost)).to.deep.equal([
      ...['$0', '$12.35', '$0.021', '$0.0000012'],
    ]);
    expect([0.123, 41.6, 2140, 61_500, 7_260_000].map(formatDuration)).to.deep.equal([
      ...['0.12 ms', '42 ms', '2.14 s', '1m 1s', '2h 1m'],
    ]);
  });
});

describe('the guide through a trace', () => {
  const stops = (spans: readonly TraceSpan[]) =>
    guideOf(treeOf(spans), scaleOf(spans, 0)).map(({ title, span: id, says }) => [title, id, says]);

  it('begins with where a failure came from, not with those that it was handed up to', () => {
    const spans = [
      span('root', undefined, { end: 100, error: 'ToolError: no' }),
      span('tool', 'root', { start: 50, end: 60, error: 'TimeoutError: late' }),
      span('other', 'root', { start: 70, end: 75, error: 'Refused: no' }),
    ];
    expect(stops(spans)[0]).to.deep.equal([
      'first failure',
      'tool',
      'tool failed: TimeoutError: late; 1 more failed by themselves',
    ]);
  });

  it('tells where time, money and tokens went, and of how much of them', () => {
    const spans = [
      span('root', undefined, { end: 1000 }),
      span('plan', 'root', { start: 0, end: 700, cost: 0.3, tokens: 10 }),
      span('answer', 'root', { start: 700, end: 1000, cost: 0.1, tokens: 30 }),
    ];
    expect(stops(spans)).to.deep.equal([
      ['time', 'plan', 'plan takes 700 ms, 70 % of the trace'],
      ['cost', 'plan', 'plan costs $0.30, 75 % of the trace'],
      ['tokens', 'answer', 'answer takes 30 tokens, 75 % of the trace'],
    ]);
  });

  it('finds the longest wait, and what ran again and again', () => {
    const calls = Array.from({ length: 6 }, (_, at) =>
      span(`call ${at}`, 'root', { name: 'call', start: 10 * at, end: 10 * at + 10 }),
    );
    const spans = [
      span('root', undefined, { end: 200 }),
      ...calls,
      span('last', 'root', { start: 160, end: 200 }),
    ];
    expect(stops(spans)).to.deep.equal([
      ['time', 'root', 'root takes 100 ms by itself, 50 % of the trace'],
      ['waiting', 'last', 'nothing ran for 100 ms between call and last'],
      ['repetition', 'call 0', 'call ran 6 times below one span, 60 ms together'],
    ]);
  });

  it('has no stop where nothing stands out, and none that is not of the trace', () => {
    expect(stops([])).to.deep.equal([]);
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            id: fc.nat(20),
            parent: fc.option(fc.nat(20)),
            start: fc.nat(1000),
            lasts: fc.option(fc.nat(1000)),
            cost: fc.nat(3),
          }),
        ),
        (made) => {
          const spans = made.map(({ id, parent, start, lasts, cost }) =>
            span(String(id), parent === null ? undefined : String(parent), {
              ...{ start, cost, end: lasts === null ? undefined : start + lasts },
            }),
          );
          const known = new Set(spans.map(({ id }) => id));
          expect(
            guideOf(treeOf(spans), scaleOf(spans, 1000)).every(({ span: id }) => known.has(id)),
          ).to.equal(true);
        },
      ),
    );
  });
});

describe('values that are too large to be handed out whole', () => {
  /** JSON, of which a part is large. */
  const value = fc
    .tuple(fc.jsonValue(), fc.constantFrom('', 'x'.repeat(30_000), '__proto__'), fc.jsonValue())
    .map(([one, text, other]): unknown => ({ one, text, list: [other, { text }, text] }));

  it('are the same once what was left out is put back in its place', () => {
    fc.assert(
      fc.property(value, fc.nat(4), (all, levels) => {
        const light = lighten(all, levels);
        expect(filled(light, ({ path }) => atPath(all, path))).to.deep.equal(all);
      }),
    );
  });

  it('leave out what is large, and say what it is and how it begins', () => {
    const text = 'long '.repeat(10_000);
    const rows = Array.from({ length: 10_000 }, (_, row) => ({ row }));
    const { value: left, stubs } = lightReply({ id: 'a', input: { text }, output: rows, tags: [] });
    expect(left).to.deep.equal({ id: 'a', input: null, output: null, tags: [] });
    expect(stubs.map(({ path, kind, count }) => [path.join('.'), kind, count])).to.deep.equal([
      ['input', 'object', 1],
      ['output', 'list', 10_000],
    ]);
    const inside = lighten({ text }, 1);
    expect(inside.stubs).to.deep.equal([
      { path: ['text'], kind: 'text', count: text.length, begins: text.slice(0, 2000) },
    ]);
    expect(lighten({ rows: [1, 2], said: 'yes' }, 0).stubs).to.deep.equal([]);
  });
});
