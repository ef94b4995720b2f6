// Reports without a browser: what goes into the file, and what is read back from it.
import { expect } from 'chai';
import fc from 'fast-check';
import { formsOf } from '#plugins/web-ui/pure/forms';
import { readReport, reportHtml, reportOf, type Report } from '#plugins/web-ui/pure/report';
import { plainColumns, sheetOf, type Sheet } from '#plugins/web-ui/pure/sheet';

const parts = { script: 'void 0', digest: 'sha256-a' };

const sheetWith = (text: string, rows = 2, charts = 1): Sheet =>
  sheetOf({
    title: text,
    path: '/w/a/p/b/runs',
    says: [text],
    facts: [[text, text]],
    tables: [
      {
        title: text,
        columns: plainColumns('a', 'b'),
        rows: Array.from({ length: rows }, (_, at) => [text, at]),
      },
    ],
    charts: Array.from({ length: charts }, (_, at) => ({
      title: `${text}${at}`,
      says: 'all 3 points',
      drawing: {
        x: [0, 1, 2],
        lines: [
          { key: text, name: text, colour: 'rgb(1 2 3)', y: [0.1, null, Number.NaN], dash: [1, 2] },
        ],
        dark: false,
        logX: false,
        logY: true,
        times: false,
        range: [0, 2] as const,
      },
    })),
    texts: [{ title: 'Input', text }],
    data: {},
  });
const at = { address: 'host/w/a/p/b/runs', madeAt: 5 };
const readBack = (sheet: Sheet): Report => {
  const found = readReport(reportHtml(reportOf(sheet, at), parts));
  if ('fault' in found) throw new Error(found.fault);
  return found;
};

describe('reports of the web UI', () => {
  it('are read back as they were made, whatever is stored in them', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.constantFrom('</script><script>alert(1)</script>', '<!--', ']]>')),
        (text) => {
          const made = reportOf(sheetWith(text), at);
          const html = reportHtml(made, parts);
          expect(html.split('</script>')).to.have.length(3);
          expect(html.split('<script')).to.have.length(3);
          // As it goes through JSON: a number that JSON has none for is null.
          expect(readReport(html)).to.deep.equal(JSON.parse(JSON.stringify(made)));
        },
      ),
    );
  });

  it('let in their own script and style alone, and ask nobody for anything', () => {
    const html = reportHtml(reportOf(sheetWith('a'), at), parts);
    expect(html).to.contain(
      `content="default-src 'none'; script-src 'sha256-a'; base-uri 'none'; form-action 'none'"`,
    );
    expect(html).to.not.match(/(src|href)=/);
  });

  it('keep the digits that 32 bits hold', () => {
    const value = Math.fround(0.1);
    const [chart] = sheetWith('a').charts;
    if (chart === undefined) throw new Error('the sheet has a chart');
    const [line] = chart.drawing.lines;
    if (line === undefined) throw new Error('the chart has a line');
    const drawing = { ...chart.drawing, lines: [{ ...line, y: [value, -value * 1e-20, null] }] };
    const read = readBack({ ...sheetWith('a'), charts: [{ ...chart, drawing }] });
    const y = read.charts[0]?.drawing.lines[0]?.y ?? [];
    expect(Math.fround(y[0] ?? 0)).to.equal(value);
    expect(Math.fround(y[1] ?? 0)).to.equal(Math.fround(-value * 1e-20));
  });

  it('leave out charts and rows for which there is no room, and say so', () => {
    const sheet = sheetWith('a'.repeat(50), 1000, 40);
    const made = reportOf(sheet, { ...at, most: 20_000 });
    expect(JSON.stringify(made).length).to.be.lessThan(22_000);
    expect(made.charts.length).to.be.greaterThan(5).and.lessThan(40);
    expect(made.cut).to.deep.equal([
      `Of 40 charts there was room for the first ${made.charts.length}.`,
      `Of 1000 rows of ${'a'.repeat(50)} there was room for the first ${made.tables[0]?.rows.length}.`,
    ]);
    expect(reportOf({ ...sheetWith('a'), cut: 'first 2 of 9' }, at).cut).to.deep.equal([
      'Of the rows, these are the first 2 of 9.',
    ]);
  });

  it('are refused in a sentence where a file is none, and hold no more than their form says', () => {
    const faultOf = (text: string) => {
      const found = readReport(text);
      return 'fault' in found ? found.fault : '';
    };
    expect(faultOf('<html>')).to.contain('no report');
    expect(faultOf('[1]')).to.contain('no report');
    expect(faultOf('{"format":"orrery-report","version":2}')).to.contain('newer release');
    const odd = readReport(
      JSON.stringify({
        format: 'orrery-report',
        version: 1,
        title: 7,
        tables: [4, { columns: 'x', rows: [null, [{}, 'a']] }],
        charts: [{ drawing: { x: [0], lines: [{ colour: 'url(#a)', y: ['1', 2] }] } }],
      }),
    );
    if ('fault' in odd) throw new Error(odd.fault);
    expect(odd.title).to.equal('');
    expect(odd.tables[0]?.rows).to.deep.equal([[], [null, 'a']]);
    expect(odd.charts[0]?.drawing.lines[0]).to.deep.include({ colour: '#5746c9', y: [null] });
    fc.assert(
      fc.property(fc.json(), (json) => {
        readReport(`{"format":"orrery-report","version":1,"charts":${json},"tables":[${json}]}`);
      }),
    );
  });

  it('and the other forms stand in a menu, which says where rows are cut', () => {
    const page = { path: '/w/a/p/b/runs', search: '?q=x' };
    const named = (total: number) =>
      new Map(formsOf(page, { total, usual: 100, most: 1000 }, true));
    expect(named(50).get('CSV')).to.equal('/w/a/p/b/runs?q=x&format=csv&of=table');
    expect(named(500).get('CSV')).to.equal('/w/a/p/b/runs?q=x&format=csv&limit=1000&of=table');
    expect([...named(2500).keys()]).to.include.members([
      'CSV, the first 1 000 of 2 500'.replaceAll(/(\d) (\d)/g, '$1\u202f$2'),
      'charts as SVG',
    ]);
    expect(new Map(formsOf(page, undefined, false)).get('CSV')).to.equal(
      '/w/a/p/b/runs?q=x&format=csv',
    );
  });
});
