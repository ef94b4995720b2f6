// Time that regular expressions take: in proportion to the text, whatever the text is.
import { expect } from 'chai';
import { literalPattern } from '#adapters/http/json';
import { areas } from '#core/areas';
import { schemasOf } from '#config/schemas';
import { attacksOn, patternsIn, type Pattern } from './tree/patterns.js';
import { readTree } from './tree/source.js';

/** Processor time of one search, in ms: the least of some, since others run on this machine too. */
const timeOf = (rule: RegExp, text: string, times: number): number => {
  let least = Infinity;
  for (let i = 0; i < times; i++) {
    const began = process.cpuUsage();
    text.replace(rule, '');
    const { user, system } = process.cpuUsage(began);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
};

const suspectMs = 3;
/** What no search of 16 KiB takes whose time is in proportion to the text. */
const hopelessMs = 50;

/** Whether twice the text takes clearly more than twice the time; looked at closely only where a short text takes long. */
const isSuperLinear = (rule: RegExp, attack: (length: number) => string): boolean => {
  for (const length of [16, 20, 24, 28, 32])
    if (timeOf(rule, attack(length), 2) >= suspectMs) return true;
  for (const length of [64, 256, 1024, 4096, 16_384]) {
    const once = timeOf(rule, attack(length), 1);
    if (once < suspectMs) continue;
    if (
      once > hopelessMs ||
      (timeOf(rule, attack(length * 2), 3) > 3 * timeOf(rule, attack(length), 3) &&
        timeOf(rule, attack(length * 4), 2) > 3 * timeOf(rule, attack(length * 2), 2))
    )
      return true;
  }
  return false;
};

const slow = (patterns: readonly Pattern[]): readonly string[] =>
  patterns.flatMap((pattern) => {
    const rule = new RegExp(pattern.source, pattern.flags);
    // What is so once is so every time, unless it was something else that took the time.
    const found = attacksOn(pattern).find((attack) =>
      [1, 2, 3].every(() => isSuperLinear(rule, attack)),
    );
    return found === undefined
      ? []
      : [`${pattern.place}: /${pattern.source}/ on ${JSON.stringify(found(24)).slice(0, 80)}`];
  });

/** Files that put patterns together at run time, with what they make of it; what else does so has to be measured here too. */
const composed: Readonly<Record<string, readonly RegExp[]>> = {
  'adapters/http/json.ts': [literalPattern(['metricValue', 'value'])],
  'adapters/http/server.ts': [/^\/api\/rest\/v2\/write\/experiment\/[^/]+\/[^/]+\/?$/],
  'adapters/blob/gcs/multipart.ts': [/<Key>([^<]*)<\/Key>/],
  'adapters/http/description/examples.ts': [], // the patterns of rows, measured below
  'config/docs.ts': [],
  'plugins/web-ui/pure/curves.ts': [/^val\/.*loss$/i], // what people write, where it repeats little; `matcherOf` is measured beside its rules
};

describe('regular expressions', function () {
  this.timeout(120_000);
  const files = readTree().map((file) => ({ path: file.path, ...patternsIn(file) }));

  it('of the product take time in proportion to the text', () => {
    const written = files.flatMap((file) => file.written);

    expect(written.length).to.be.above(100);
    expect(slow(written)).to.deep.equal([]);
  });

  it('of the rows take time in proportion to the text', () => {
    const patterns: Pattern[] = [];
    const gather = (schema: unknown): void => {
      if (typeof schema !== 'object' || schema === null) return;
      for (const [name, value] of Object.entries(schema)) {
        if (name === 'pattern' && typeof value === 'string')
          patterns.push({ place: 'a row', source: value, flags: 'u' });
        else gather(value);
      }
    };
    for (const { table } of areas) gather(schemasOf(table));

    expect(patterns.length).to.be.above(0);
    expect(slow(patterns)).to.deep.equal([]);
  });

  it('that are put together at run time are listed here, and take time in proportion to the text', () => {
    expect([...new Set(files.flatMap((file) => file.composed))].sort()).to.deep.equal(
      Object.keys(composed).sort(),
    );
    expect(
      slow(
        Object.entries(composed).flatMap(([place, rules]) =>
          rules.map(({ source, flags }) => ({ place, source, flags })),
        ),
      ),
    ).to.deep.equal([]);
  });

  it('that backtrack or scan again are found', () => {
    const planted = [
      String.raw`"(?:[^"\\]|\\.)*"|-?Infinity|NaN`,
      String.raw`^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$`,
      String.raw`^v?(\d+(?:\.\d+)*)(.*)$`,
      String.raw`0\.0{6,}\d+(?=\s*[,}])`,
      String.raw`<Upload>.*?</Upload>`,
      String.raw`%.*$`,
      String.raw`\s+$`,
      '^(a+)+$',
      String.raw`(\w+)@example`,
    ];

    const found = planted.filter(
      (source) =>
        slow([
          {
            place: 'here',
            source,
            flags: source.includes('Upload') || source.startsWith('"') ? 'gs' : '',
          },
        ]).length > 0,
    );

    expect(found).to.deep.equal(planted);
  });
});
