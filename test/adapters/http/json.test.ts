// Reading JSON bodies: within time that follows their size, and within the memory that there is.
import { PassThrough } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { createBudget } from '#adapters/http/budget';
import { jsonReader } from '#adapters/http/json';
import { costOfJson } from '#adapters/http/json-cost';
import { reader } from '#adapters/http/input';
import { numberOf } from '#adapters/storage/sql/metrics/numbers';
import { readOperand } from '#core/experiments/query/operands';
import { isOlder } from '#core/runs/rules';
import { quoteOddNumbers } from '#ports/json-text';
import { number, object } from '#ports/api/schema';

const mebibyte = 1024 * 1024;
const bounds = { packedBytes: 72 * mebibyte, inflatedBytes: 128 * mebibyte, depth: 64 };
const plain = jsonReader({ literals: ['metricValue'], keepsNul: false });

const sent = (
  body: Buffer | string,
  headers: Readonly<Record<string, string>> = {},
): IncomingMessage => {
  const request = Object.assign(new PassThrough(), { headers });
  request.end(body);
  return request as unknown as IncomingMessage; // what the reader asks of one
};
const read = async (
  body: Buffer | string,
  headers?: Readonly<Record<string, string>>,
  budget = createBudget(1024 * mebibyte),
) => {
  const held = budget.open();
  try {
    return await plain(sent(body, headers), bounds, held);
  } finally {
    held.release();
  }
};
const kindOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (thrown: { readonly kind?: unknown }) => thrown.kind,
  );

/** Least processor time of three, in ms. */
const timeOf = async (work: () => unknown): Promise<number> => {
  let least = Infinity;
  for (let i = 0; i < 3; i++) {
    const began = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(began);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
};

describe('texts that callers send', function () {
  this.timeout(60_000);
  const query = reader(object({ n: number() }), 'the query');
  const attempt = (work: () => unknown) => {
    try {
      return work();
    } catch {
      return undefined;
    }
  };
  const owners: Readonly<Record<string, (length: number) => unknown>> = {
    'a body with NaN and a string that does not end': (length) =>
      kindOf(read(`NaN"${'\\"'.repeat(length / 2)}`)),
    'a body with a number of many zeros': (length) =>
      kindOf(read(`{"metricValue":0.0${'0'.repeat(length)}x}`)),
    'a body with a number and many blanks': (length) =>
      kindOf(read(`{"metricValue":1.0${' '.repeat(length)}x}`)),
    'text with odd numbers': (length) => quoteOddNumbers('"\\'.repeat(length / 2)),
    'a number in a query': (length) => attempt(() => query({ n: `${'1'.repeat(length)}\nx` })),
    'a logged value': (length) => numberOf(`${'1'.repeat(length)}\nx`),
    'a value of a rule': (length) => readOperand(`${'1'.repeat(length)}\nx`, 'double'),
    'the version of a client': (length) => isOlder(`${'1'.repeat(length)}\n.`, '1.0'),
    'the version of a client with many dots': (length) =>
      isOlder(`${'1.'.repeat(length / 2)}\n`, '1.0'),
  };
  for (const [title, work] of Object.entries(owners)) {
    it(`take time in proportion to their length: ${title}`, async () => {
      await work(1000);
      let length = 32_000;
      while (length < 2_000_000 && (await timeOf(() => work(length))) < 4) length *= 2;

      const [once, twice, fourTimes] = [
        await timeOf(() => work(length)),
        await timeOf(() => work(length * 2)),
        await timeOf(() => work(length * 4)),
      ];

      expect(once, `${length} characters`).to.be.below(500);
      // Eight million characters in less time than that are no search that grows with its square; only memory was made for them.
      expect(fourTimes, `${once} ms, ${twice} ms, ${fourTimes} ms`).to.be.below(
        Math.max(12 * once, 60),
      );
    });
  }

  it('keep their odd numbers as texts, and nothing else', () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        fc.string(),
        fc.constantFrom('NaN', '-Infinity', '\\', '"', 'a\\"NaN'),
        fc.constant(Number.NaN),
        fc.constant(-Infinity),
        fc.integer(),
        fc.array(tie('any'), { maxLength: 4 }),
        fc.dictionary(fc.string(), tie('any'), { maxKeys: 4 }),
      ),
    })).any;
    const bare = (given: unknown): string => {
      if (typeof given === 'number') return String(given);
      if (Array.isArray(given)) return `[${given.map(bare).join(' , ')}]`;
      if (typeof given === 'object' && given !== null)
        return `{${Object.entries(given)
          .map(([name, one]) => `${JSON.stringify(name)}:${bare(one)}`)
          .join(',')}}`;
      return JSON.stringify(given);
    };
    const meant = (given: unknown): unknown => {
      if (typeof given === 'number') return Number.isFinite(given) ? given : String(given);
      if (Array.isArray(given)) return given.map(meant);
      return typeof given === 'object' && given !== null
        ? Object.fromEntries(Object.entries(given).map(([name, one]) => [name, meant(one)]))
        : given;
    };
    fc.assert(
      fc.property(value, (given) => {
        expect(JSON.parse(quoteOddNumbers(bare(given)))).to.deep.equal(
          JSON.parse(JSON.stringify(meant(given))),
        );
      }),
    );
  });
});

describe('memory for bodies', function () {
  this.timeout(30_000);

  it('is counted packed, unpacked and parsed, and is given back', async () => {
    const budget = createBudget(4 * mebibyte);
    const held = budget.open();
    await plain(sent(JSON.stringify({ text: 'x'.repeat(mebibyte) })), bounds, held);

    expect(
      await kindOf(read(JSON.stringify({ text: 'x'.repeat(1.5 * mebibyte) }), {}, budget)),
    ).to.equal('unavailable');
    held.release();
    expect(
      await kindOf(read(JSON.stringify({ text: 'x'.repeat(1.5 * mebibyte) }), {}, budget)),
    ).to.equal('done');
  });

  it('is refused to what could never have so much', async () => {
    const bomb = gzipSync(`[${'{},'.repeat(2 * mebibyte)}{}]`);

    expect(bomb.length).to.be.below(32 * 1024);
    expect(
      await kindOf(read(bomb, { 'content-encoding': 'gzip' }, createBudget(64 * mebibyte))),
    ).to.equal('tooLarge');
    expect(
      await kindOf(
        read('', { 'content-length': String(65 * mebibyte) }, createBudget(64 * mebibyte)),
      ),
    ).to.equal('tooLarge');
  });

  it('is told apart for objects, members and texts, wherever these stand', () => {
    const bytesOf = (text: string) => costOfJson(Buffer.from(text)).bytes;

    expect(bytesOf('[{},{},{}]')).to.be.above(3 * 56);
    expect(bytesOf('"{[,:\\"{["')).to.equal(bytesOf('""'));
    expect(costOfJson(Buffer.from('[[{"a":"[[["}]]')).depth).to.equal(3);
  });

  it('is estimated at no less than half of what V8 takes', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void; // what the flag makes
    const shapes = {
      objects: '{},',
      lists: '[[[[]]]],',
      numbers: '1.5,"a",',
      members: '{"a":1,"b":"cd"},',
    };
    for (const [name, one] of Object.entries(shapes)) {
      const text = `[${one.repeat(mebibyte / one.length)}null]`;
      collect();
      const before = process.memoryUsage().heapUsed;
      const value: unknown = JSON.parse(text);
      collect();

      expect(
        (process.memoryUsage().heapUsed - before) /
          (costOfJson(Buffer.from(text)).bytes + text.length),
        name,
      ).to.be.below(2);
      expect(value).to.be.an('array');
    }
  });
});

describe('a body that is no JSON', () => {
  it('is refused in the words by which clients of LLM observability know it', async () => {
    const thrown: unknown = await read('{').catch((error: unknown) => error);

    expect(thrown).to.include({ kind: 'invalid' });
    expect(String(thrown)).to.contain('Unable to process JSON');
  });
});
