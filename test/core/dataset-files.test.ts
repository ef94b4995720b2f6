import { expect } from 'chai';
import { itemsOfFile, type FileFormat } from '#core/dataset-files/records';
import { rejection } from '#test/contract/storage/builders';

/** A file in pieces of so many bytes. */
const inPieces = async function* (text: string | Uint8Array, size: number) {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
};
const read = async (
  format: FileFormat,
  text: string | Uint8Array,
  size: number,
): Promise<readonly unknown[]> => {
  const found: unknown[] = [];
  for await (const some of itemsOfFile(format, inPieces(text, size)))
    found.push(...some.map(({ data }) => data));
  return found;
};

describe('items of a file', () => {
  const csv = '\ufeffa,"b ""x""",c\r\n1,"two\r\n, ""2""",\n\n"",é\u{1f600},"3"\rx,y,z';
  const rows = [
    { a: '1', 'b "x"': 'two\r\n, "2"', c: '' },
    { a: '', 'b "x"': 'é\u{1f600}', c: '3' },
    { a: 'x', 'b "x"': 'y', c: 'z' },
  ];
  const objects = [
    { a: '}"\\', b: [{ c: [1] }] },
    { __proto__x: null, é: '\u{1f600}' },
  ];

  for (const size of [1, 2, 3, 7, 1000]) {
    it(`are read from CSV in pieces of ${size} bytes`, async () => {
      expect(await read('csv', csv, size)).to.deep.equal(rows);
      expect(await read('csv', `${csv}\r\n`, size)).to.deep.equal(rows);
    });

    it(`are read from JSON in pieces of ${size} bytes`, async () => {
      for (const text of [
        JSON.stringify(objects),
        ` ${JSON.stringify(objects, undefined, 2)}\n`,
        objects.map((one) => JSON.stringify(one)).join('\n'),
      ])
        expect(await read('json', text, size)).to.deep.equal(objects);
      expect(await read('json', ' [ ] ', size)).to.deep.equal([]);
    });
  }

  it('keep a member that is called like none', async () => {
    const [found] = await read('csv', '__proto__,b\n1,2\n', 100);
    expect(JSON.stringify(found)).to.equal('{"__proto__":"1","b":"2"}');
  });

  it('may have cells of a megabyte', async () => {
    const long = 'x'.repeat(1024 * 1024);
    expect(await read('csv', `a,b\n"${long}",1\n`, 64 * 1024)).to.deep.equal([{ a: long, b: '1' }]);
  });

  it('are refused with a sentence when the file cannot be read', async () => {
    const many = Array.from({ length: 10_000 }, (_, at) => `c${at}`).join(',');
    const cases: readonly (readonly [FileFormat, string | Uint8Array, RegExp])[] = [
      ['csv', '', /is empty/],
      ['csv', 'a,b\n1,"2', /ends within the quotes of a cell, in row 2/],
      ['csv', 'a,b\n1,2"3\n', /has a quote within a cell/],
      ['csv', 'a,b\n1,"2"3\n', /goes on behind the quotes/],
      ['csv', 'a,b\n1,2,3\n', /row 2 of the CSV file has 3 cells, and its first row 2/],
      ['csv', 'a,b\n1\n', /has 1 cells/],
      ['csv', 'a,a\n1,2\n', /different names/],
      ['csv', 'a,\n1,2\n', /must have a name/],
      ['csv', many, /more than 500 columns/],
      ['csv', Uint8Array.from([97, 10, 0xe9, 10]), /UTF-8/],
      ['csv', Uint8Array.from([97, 10, 0xc3]), /UTF-8/],
      ['csv', 'a\n\0\n', /NUL/],
      ['json', '', /is empty/],
      ['json', '[{"a":1}', /ends before its end/],
      ['json', '[{"a":1},', /ends before its end/],
      ['json', '[{"a":1},]', /behind object 1/],
      ['json', '[{"a":1}{"a":2}]', /behind object 1/],
      ['json', '[1]', /behind object 0/],
      ['json', '[{"a":1}] x', /behind object 1/],
      ['json', '{"a":1}, {"a":1}', /behind object 1/],
      ['json', '{"a":1]', /at object 1/],
      ['json', '{"a"', /ends before its end/],
      ['json', '{}', /has no members/],
      ['json', '{"id":"a","tags":["b"]}', /has no members/],
      ['json', '{"a":1,"tags":"b"}', /tags does not fit/],
      ['json', '{"a":1,"source":"trace"}', /source does not fit/],
    ];
    for (const [format, file, sentence] of cases)
      for (const size of [1, 1000]) {
        const failure = await rejection(read(format, file, size));
        expect(failure).to.include({ kind: 'invalid' });
        expect((failure as Error).message).to.match(sentence); // a failure is an error
      }
  });

  it('may not be more than a dataset takes at once', async () => {
    const failure = await rejection(read('csv', `a\n${'1\n'.repeat(100_001)}`, 64 * 1024));
    expect(failure).to.include({ kind: 'invalid' });
  });
});
