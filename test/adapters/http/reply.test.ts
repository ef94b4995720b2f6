// JSON as it goes out: every letter of it, however long it is and wherever its pieces come from.
import { expect } from 'chai';
import type { Context } from 'koa';
import { sendJson } from '#adapters/http/reply';
import { KeptJson } from '#ports/kept-json';

describe('replies of JSON', () => {
  const sent = (body: unknown): string => {
    const ctx = { status: 0, body: '' as string | Buffer, set() {} };
    sendJson(ctx as unknown as Context, 200, body); // what it uses of one
    return typeof ctx.body === 'string' ? ctx.body : ctx.body.toString('utf8');
  };

  for (const [what, letters] of [
    ['plain letters', 'plain '],
    ['letters of one byte in memory', 'né '],
    ['letters of two', '漢字 '],
    ['letters of four bytes', '🦀 '],
  ] as const)
    for (const times of [1, 20_000])
      it(`hold ${what}, ${times === 1 ? 'short' : 'long'}, in what is written and what is kept`, () => {
        const text = letters.repeat(times);
        const kept = new KeptJson(JSON.stringify({ kept: text }));
        expect(sent({ a: text, b: kept, c: [kept, 'end'] })).to.equal(
          JSON.stringify({ a: text, b: { kept: text }, c: [{ kept: text }, 'end'] }),
        );
        expect(sent([kept])).to.equal(`[${kept.json}]`);
      });
});
