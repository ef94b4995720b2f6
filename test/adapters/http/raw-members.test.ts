// Members that are kept as text: the same value whichever way a body is read, and nothing of it lost.
import { expect } from 'chai';
import fc from 'fast-check';
import { parseWithRaw, rawPlaces } from '#adapters/http/raw-members';
import { json, list, object, optional, text } from '#ports/api/schema';
import { KeptJson } from '#ports/kept-json';

const places = rawPlaces(
  object({
    alone: optional(json()),
    spans: list(object({ id: text(), input: optional(json()), output: optional(json()) })),
  }),
);
const read = (body: string): unknown =>
  parseWithRaw(body, places, () => undefined)?.value ?? JSON.parse(body);

/** With texts in the places of values, as plain values again. */
const plain = (value: unknown): unknown => {
  if (value instanceof KeptJson) return JSON.parse(value.json);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item)]));
};

describe('members that are kept as text', () => {
  it('are found where the schema has them', () => {
    expect([...places].map(([depth, names]) => [depth, [...names]])).to.deep.equal([
      [1, ['alone']],
      [3, ['input', 'output']],
    ]);
  });

  it('stand for what the body says, whatever they hold and however it is written', function () {
    this.timeout(60_000);
    const values = fc.jsonValue({ noUnicodeString: false, maxDepth: 4 });
    const spans = fc.array(
      fc.record(
        { id: fc.string(), input: values, output: values, other: values },
        { requiredKeys: ['id'] },
      ),
    );
    fc.assert(
      fc.property(
        fc.record({ alone: values, spans, input: values }),
        fc.constantFrom(undefined, 1, '\t'),
        fc.boolean(),
        (body, indent, ascii) => {
          const plainly = JSON.stringify(body, undefined, indent);
          const written = ascii
            ? plainly.replaceAll(
                /[\u007f-\uffff]/g,
                (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
              )
            : plainly;

          expect(plain(read(written))).to.deep.equal(JSON.parse(plainly));
        },
      ),
    );
  });

  it('keep every digit and the order of their members, without blanks and needless escapes', () => {
    const body =
      '{"spans": [{"id":"a", "input" : { "b" : 12345678901234567890, "1": 1.0,\n "t": "caf\\u00e9 \\/ \\ud83d\\ude00 \\ud800 \\\\ud800 \\n \\"" }, "output": null}]}';
    const { spans } = read(body) as { spans: { input: KeptJson; output: unknown }[] }; // the shape above

    expect(spans[0]?.input.json).to.equal(
      '{"b":12345678901234567890,"1":1.0,"t":"café / 😀 \ufffd \\\\ud800 \\n \\""}',
    );
    expect(spans[0]?.output).to.equal(null);
  });

  it('are no way around what JSON is', () => {
    for (const body of [
      '{"alone": {"a" 1}}',
      '{"alone": 1 2}',
      '{"alone": }',
      '{"alone": [1,]}',
      '{"alone": "a',
      '{"alone": {"a": 1}',
      '{"alone": nul}',
      '{"alone" 1}',
      '{"alone": 1}}',
      '{"spans": [{"input": [}]}]}',
    ])
      expect(() => {
        const raw = parseWithRaw(body, places, () => undefined);
        if (raw === undefined) JSON.parse(body);
      }, body).to.throw(SyntaxError);
  });

  it('are told once where a name stands twice, and never by a number that a client sent', () => {
    expect(plain(read('{"alone": 1, "alone": [2], "spans": []}'))).to.deep.equal({
      alone: [2],
      spans: [],
    });
    expect(plain(read('{"al\\u006fne": 0, "spans": [{"input": "x"}]}'))).to.deep.equal({
      alone: 0,
      spans: [{ input: 'x' }],
    });
    expect(plain(read('{"spans": {"a": {"input": 7}}}'))).to.deep.equal({
      spans: { a: { input: 7 } },
    });
  });
});
