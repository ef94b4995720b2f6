// Every member of every row's input, given values that break careless servers. What fits is stored, what does not is refused; nothing fails.
import { expect } from 'chai';
import type { CatalogueRow } from '#ports/catalogue';
import { pendingUnlessAll } from '#test/pending';
import { startServer, type StartedServer } from '#test/clients/server';
import { isSampled, someOf } from '#test/sampling';
import { consumes, inputFor, needsSlow, sampleOf } from './building.js';
import { fieldsOf, isRestricted, pathsOf, shapeOf, type Shape, wantedRows } from './rows.js';
import { send } from './sending.js';
import { mayCallNowhere } from './fresh.js';
import { makePeople, type People } from './people.js';
import { makeWorld, type World } from './world.js';

const texts: readonly unknown[] = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'a\udfffb',
  '__proto__',
  'constructor',
  '{"__proto__":{"a":1}}',
  '../../etc/passwd',
  '\u202egnp.exe',
  '🦄',
  'x'.repeat(70_000),
  '%',
  '\\',
  "'",
  '\n\r\t',
  '\uffff',
  'İ'.repeat(600),
  '-0',
  'NaN',
  '1e400',
  null,
  {},
  [],
  [[]],
  0,
  -1,
  1e300,
  true,
];
const wholes: readonly unknown[] = [
  0,
  -1,
  9_007_199_254_740_991,
  -9_007_199_254_740_991,
  2_147_483_648,
  1e21,
  -1e300,
  '9223372036854775808',
  '-0',
  0.5,
  '',
  null,
  {},
  [],
];
const things: readonly unknown[] = [
  [],
  [null],
  [5],
  [[]],
  [{}],
  [{ __proto__: null }],
  {},
  { '': 1 },
  JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{}}}'),
  { a: '\0' },
  { '\0': 1 },
  { a: '\ud800' },
  'x',
  5,
  null,
  [{ metricName: {}, metricValue: [] }],
  [
    {
      metricName: 'a',
      metricValue: '\ud800',
      step: 1e300,
      timestamp: -1e300,
      epoch: '99999999999999999999',
    },
  ],
  [{ parameterName: '\0', parameterValue: 'x'.repeat(70_000) }],
  [{ name: '\ud800', version: 1e300, key: '__proto__', value: {} }],
];

/** Values for a member; which ones depends on where it is, so that another row changes nothing of it. */
const valuesFor = (shape: Shape, where: string): readonly unknown[] => {
  const some = (values: readonly unknown[]) => someOf(values, 12, where, 2);
  if (['integer', 'millis', 'number'].includes(shape.lenient ?? '')) return some(wholes);
  return some(
    shape.lenient === 'text' || shape.lenient === 'literal' || shape.enum !== undefined
      ? texts
      : [...things, ...texts],
  );
};

const placesAtOnce = 4;

describe('hostile values', () => {
  let server: StartedServer;
  let people: People;
  let home: World;

  before('start a server', async function () {
    const started = await startServer({
      storage: 'embedded',
      env: { ...mayCallNowhere, ORRERY_CHECK_REPLIES: '1', ORRERY_LOG_LEVEL: 'error' },
    });
    if ('missing' in started) return pendingUnlessAll(this, started.missing);
    server = started;
    people = await makePeople(server);
    home = await makeWorld(server.url, people.home, { supplies: people.supplies });
  });
  after(() => server?.stop());

  const worldFor = (row: CatalogueRow): Promise<World> =>
    consumes(row, home)
      ? makeWorld(server.url, people.home, {
          supplies: people.supplies,
          slow: needsSlow(row, home),
        })
      : Promise.resolve(home);

  for (const row of wantedRows.filter(
    ({ id, operation }) => isRestricted(operation) && isSampled(`${id} hostile values`, 3),
  )) {
    const { id, operation } = row;
    const places = fieldsOf(operation).filter((place) => /^(query|body)\.[^.*]+$/.test(place));
    it(`never make ${id} fail`, async () => {
      const world = await worldFor(row);
      const failed: string[] = [];
      const ask = async (place: string, value: unknown) => {
        const [path = ''] = pathsOf(operation);
        const { status, text } = await send(
          server.url,
          operation.method,
          path,
          inputFor(id, operation, world, { with: { [place]: value }, for: 'many' }),
          people.home.apiKey,
        );
        if (status >= 500 && !(status in operation.replies))
          failed.push(
            `${place} = ${JSON.stringify(value).slice(0, 100)}: ${status} ${text.slice(0, 120)}`,
          );
      };
      const askAll = async (place: string): Promise<void> => {
        const [where = '', name = ''] = place.split('.');
        const shape =
          shapeOf(operation, where === 'query' ? 'query' : 'body')?.properties?.[name] ?? {};
        const values =
          where === 'query'
            ? valuesFor(shape, `${id} ${place}`).filter(
                (value) => typeof value !== 'object' && String(value).length < 5000,
              )
            : valuesFor(shape, `${id} ${place}`);
        await Promise.all(values.map((value) => ask(place, value)));
        // Members of the items of a list get the same values.
        const inner = shape.items?.properties ?? {};
        for (const [member, of] of Object.entries(inner))
          await Promise.all(
            valuesFor(of, `${id} ${place}.${member}`).map((value) =>
              ask(place, [{ ...(sampleOf(shape.items ?? {}) as object), [member]: value }]),
            ),
          ); // a sample of an object
      };
      // Some at once: a row that calls others waits for them each time.
      for (let from = 0; from < places.length; from += placesAtOnce)
        await Promise.all(places.slice(from, from + placesAtOnce).map(askAll));

      expect(failed).to.deep.equal([]);
    });
  }
});
