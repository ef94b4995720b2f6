// What a page says, in forms other than the page, without a server.
import { expect } from 'chai';
import fc from 'fast-check';
import { faceTaken, takesPages } from '#ports/api/faces';
import type { Drawing } from '#plugins/web-ui/pure/drawing';
import { plainColumns, sheetOf, sparkOf, tableCsv, type Sheet } from '#plugins/web-ui/pure/sheet';
import { mostInPicture, pictureOf } from '#plugins/web-ui/pure/sheet-picture';
import { markdownText, terminalText } from '#plugins/web-ui/pure/sheet-text';

const drawing: Drawing = {
  x: [0, 1, 2],
  lines: [{ key: 'a', name: 'first', colour: 'rgb(0 0 0)', y: [1, null, 3] }],
  dark: false,
  logX: false,
  logY: false,
  times: false,
};
const sheetWith = (text: string): Sheet =>
  sheetOf({
    title: text,
    path: '/w',
    says: [text],
    facts: [[text, text]],
    tables: [{ title: text, columns: plainColumns(text, 'n'), rows: [[text, 1]], depths: [1] }],
    charts: [
      {
        title: text,
        says: text,
        drawing: { ...drawing, lines: [{ ...drawing.lines[0]!, name: text }] },
      },
    ],
    texts: [{ title: text, text }],
    data: {},
  });
/** Texts as anybody may store them, marks and signs that mean something among them. */
const stored = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('<', '>', '&', '`', '|', '\n', '\u001b', '\u202e', '\ud800', '"', 'a'),
  }),
);

describe('the form that a request takes', () => {
  it('is the one of the greatest weight that there is, and the page otherwise', () => {
    expect(faceTaken('image/webp, text/csv;q=0.2, text/markdown;q=0.9')).to.equal('md');
    expect(faceTaken('text/html;q=0, application/json')).to.equal('json');
    expect(faceTaken('image/webp')).to.equal('html');
    expect(faceTaken(undefined, undefined)).to.equal('html');
    expect(faceTaken('*/*', 'Wget/1.21')).to.equal('txt');
    expect(faceTaken('text/html', 'curl/8')).to.equal('html');
    expect(takesPages('application/json', 'x')).to.equal(false);
  });
  it('is read of any text', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (accept, agent) => {
        expect(faceTaken(accept, agent)).to.be.a('string');
      }),
    );
  });
});

describe('sheets', () => {
  it('say whatever is stored as text for a terminal, without what it obeys', () => {
    fc.assert(
      fc.property(stored, (text) => {
        expect(terminalText(sheetWith(text))).to.not.match(
          /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/,
        );
      }),
    );
  });
  it('mark nothing up in Markdown that is stored, and end no block early', () => {
    fc.assert(
      fc.property(stored, (text) => {
        const written = markdownText(sheetOf({ ...sheetWith(text), texts: [] }));
        expect(written).to.not.match(/<[a-z/!]/i);
      }),
    );
    const fenced = markdownText(
      sheetOf({ ...sheetWith('x'), texts: [{ title: 't', text: '```\n~~~~' }] }),
    );
    expect(fenced).to.contain('````\n```\n~~~~\n````');
  });
  it('are well-formed SVG whatever is stored', () => {
    fc.assert(
      fc.property(stored, (text) => {
        const pictures = [sheetWith(text), { ...sheetWith(text), charts: [] }].map((one) =>
          pictureOf(one, false),
        );
        for (const svg of pictures) {
          // Every mark is one of ours, and nothing is left that XML has no place for.
          const marks = [...svg.matchAll(/<\/?([^\s/>]*)/g)].map(([, name]) => name);
          expect(marks).to.satisfy((all: string[]) =>
            all.every((one) =>
              ['svg', 'rect', 'text', 'tspan', 'path', 'g', 'clipPath'].includes(one),
            ),
          );

          expect(svg).to.not.match(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/);
        }
      }),
    );
  });
  it('draw so much and say how much is left out', () => {
    const bars = Array.from({ length: mostInPicture.bars + 5 }, (_, at) => ({
      ...{ name: `span ${at}`, depth: 200, left: 0, width: 100, says: '1 ms' },
      mark: 'slow' as const,
    }));
    const svg = pictureOf(sheetOf({ title: 't', path: '/', data: {}, bars }), true);
    expect(svg)
      .to.contain('5 more are not drawn')
      .and.contain('span 199')
      .and.not.contain('span 200');
  });
  it('keep numbers whole in CSV, and formulas as text', () => {
    expect(
      tableCsv({ title: '', columns: plainColumns('a', 'b'), rows: [[1 / 3, '=1+1']] }),
    ).to.equal("a,b\n0.3333333333333333,'=1+1\n");
  });
  it('show the shape of a curve in a few letters', () => {
    expect(sparkOf([0, 1, 2, 3, 4, 5, 6, 7])).to.equal('▁▂▃▄▅▆▇█');
    expect(sparkOf([5, 5])).to.equal('▄▄');
    expect(sparkOf([1, null, NaN, 2])).to.equal('▁  █');
    expect(sparkOf([])).to.equal('');
    expect(sparkOf(Array.from({ length: 4000 }, (_, at) => at))).to.have.length(16);
  });
});
