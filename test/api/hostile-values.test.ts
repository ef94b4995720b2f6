// Every member of every row's input, given values that break careless servers. What fits is stored, what does not is refused; nothing fails.
import { expect } from 'chai';
import { pendingUnlessAll } from '#test/pending';
import { startServer, type StartedServer } from '#test/clients/server';
import { someOf } from '#test/sampling';
import { inputFor, sampleOf } from './building.js';
import { fieldsOf, isRestricted, pathsOf, rows, shapeOf, type Shape } from './rows.js';
import { send } from './sending.js';
import { makePeople, makeWorld, mayCallNowhere, type People, type World } from './world.js';

/** Rows that want a world of their own: they take something away, or copy all that the others have left behind. */
const apart = /^(delete(?!Share)|move|complete|setProjectOwner|copyRun|approve|reject|cancel)/;

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

let asked = 0;
const some = (values: readonly unknown[]): readonly unknown[] => someOf(values, 12, asked++);

const valuesFor = (shape: Shape): readonly unknown[] => {
  if (shape.lenient === 'integer' || shape.lenient === 'number') return some(wholes);
  return some(
    shape.lenient === 'text' || shape.lenient === 'literal' || shape.enum !== undefined
      ? texts
      : [...things, ...texts],
  );
};

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
    home = await makeWorld(server.url, people.home);
  });
  after(() => server?.stop());

  for (const row of rows.filter(({ operation }) => isRestricted(operation))) {
    const { id, operation } = row;
    const places = fieldsOf(operation).filter((place) => /^(query|body)\.[^.*]+$/.test(place));
    it(`never make ${id} fail`, async () => {
      const world = apart.test(id)
        ? await makeWorld(server.url, people.home, { told: row.area === 'webhooks' })
        : home;
      // The workspace of everything else keeps its name.
      const spared =
        id === 'renameOwnWorkspace' ? { 'body.workspaceName': people.home.ownSpaces?.[0] } : {};
      const failed: string[] = [];
      const ask = async (place: string, value: unknown) => {
        const [path = ''] = pathsOf(operation);
        const { status, text } = await send(
          server.url,
          operation.method,
          path,
          inputFor(id, operation, world, { with: { ...spared, [place]: value } }),
          people.home.apiKey,
        );
        if (status >= 500)
          failed.push(
            `${place} = ${JSON.stringify(value).slice(0, 100)}: ${status} ${text.slice(0, 120)}`,
          );
      };
      for (const place of places) {
        const [where = '', name = ''] = place.split('.');
        const shape =
          shapeOf(operation, where === 'query' ? 'query' : 'body')?.properties?.[name] ?? {};
        const values =
          where === 'query'
            ? valuesFor(shape).filter(
                (value) => typeof value !== 'object' && String(value).length < 5000,
              )
            : valuesFor(shape);
        await Promise.all(values.map((value) => ask(place, value)));
        // Members of the items of a list get the same values.
        const inner = shape.items?.properties ?? {};
        for (const [member, of] of Object.entries(inner))
          await Promise.all(
            valuesFor(of).map((value) =>
              ask(place, [{ ...(sampleOf(shape.items ?? {}) as object), [member]: value }]),
            ),
          ); // a sample of an object
      }

      expect(failed).to.deep.equal([]);
    });
  }
});
