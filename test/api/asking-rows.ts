// What every row answers, asked of a running server without cases of its own: made from the table and from what the areas say, one row after the other.
import { monitoringFamily } from '#plugins/monitoring/family';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { pageFamily } from '#ports/api/families/page';
import { optimizerFamily } from '#ports/api/families/plain';
import { administrationFamily, numberOf, trackingFamily } from '#ports/api/families/tracking';
import { kindOf, subjectsOf } from '#ports/api/operation';
import type { CatalogueRow } from '#ports/catalogue';
import { pendingUnlessAll } from '#test/pending';
import { startServer, type StartedServer } from '#test/clients/server';
import { isSampled, someOf } from '#test/sampling';
import { consumes, inputFor, nameIn, needsSlow, ownNameIn, type Wish } from './building.js';
import {
  kindFixture,
  rowFixture,
  settingsFor,
  type AreaFixtures,
  type Member,
} from './fixtures.js';
import { freshKey } from './fresh.js';
import { makePeople, type People } from './people.js';
import { fieldsOf, isRestricted, pathsOf, placesOf, shapeOf, type Shape } from './rows.js';
import { send, type Answer, type Input } from './sending.js';
import { makeWorld, makingFor, type World } from './world.js';

interface DescribedReply {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
}
type DescribedReplies = Readonly<Record<string, DescribedReply>>;
interface Described {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: DescribedReplies }>>>
  >;
  readonly components: { readonly responses: DescribedReplies };
}

/** Rows that only a session may ask. */
const asksSession = ({ operation: { access } }: CatalogueRow): boolean =>
  access.by?.includes('key') === false;
/** A laptop tries bad values at one row in so many: rows double, and its minutes do not. */
const rowsToOneTried = 3;
const anyTexts: readonly string[] = [
  'nope',
  'x'.repeat(3000),
  '🦄\u202e',
  "'; drop table experiments; --",
  '../../etc/passwd',
];
/** Rows that answer in the envelope of the tracking wire. */
const tracks = ({ family }: CatalogueRow) =>
  family === trackingFamily || family === administrationFamily;
/** Families whose refusals have a number beside the sentence. */
const hasCodes = (row: CatalogueRow) =>
  tracks(row) || row.family === optimizerFamily || row.family === monitoringFamily;
const writes = ({ operation }: CatalogueRow) =>
  ['write', 'owner', 'workspace-admin'].includes(operation.access.needs);

/** A place in the row's words as a sentence to a client names it. */
const memberOf = (place: string): string =>
  place
    .split('.')
    .filter((part) => part !== '*')
    .at(-1) ?? '';

/** Which rows are asked, what the areas say of them, and what the server needs beside their settings to answer them. */
export interface Battery {
  readonly rows: readonly CatalogueRow[];
  readonly fixtures: readonly AreaFixtures[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Cases for each of the rows, within a suite of the caller's. */
export const askEveryOperation = ({ rows, fixtures, env = {} }: Battery): void => {
  let server: StartedServer;
  let people: People;
  let home: World;
  let strange: World;
  const strays: string[] = [];
  let described: Described;
  const validators = new Map<string, ValidateFunction | undefined>();
  const ajv = new Ajv2020({ strict: false, formats: { int64: true }, code: { optimize: false } });
  const fixtureOf = ({ id }: CatalogueRow) => rowFixture(fixtures, id);

  before('start a server', async function () {
    const started = await startServer({
      storage: 'embedded',
      env: {
        ...settingsFor(fixtures),
        ORRERY_CHECK_REPLIES: '1',
        ORRERY_LOG_LEVEL: 'error',
        ...env,
      },
    });
    if ('missing' in started) return pendingUnlessAll(this, started.missing);
    server = started;
    people = await makePeople(server, fixtures);
    [home, strange] = await Promise.all([
      makeWorld(server.url, people.home, { fixtures, supplies: people.supplies }),
      makeWorld(server.url, people.stranger, { fixtures }),
    ]);
    described = (await (await fetch(`${server.url}/openapi.json`)).json()) as Described; // checked by the test of that document
  });
  after(() => server?.stop());

  const validatorOf = (
    method: string,
    path: string,
    status: number,
  ): ValidateFunction | undefined => {
    const name = `${method} ${path} ${status}`;
    if (!validators.has(name)) {
      const { [path]: methods } = described.paths;
      const replies = methods?.[method.toLowerCase()]?.responses;
      const reply = replies?.[String(status)] ?? replies?.[`${Math.floor(status / 100)}XX`];
      const { responses } = described.components;
      const { content } = responses[reply?.$ref?.split('/').at(-1) ?? ''] ?? reply ?? {};
      const schema = content?.['application/json']?.schema;
      validators.set(
        name,
        schema === undefined
          ? undefined
          : ajv.compile({
              ...schema,
              components: described.components,
            }),
      );
    }
    return validators.get(name);
  };

  const sentenceOf = (answer: Answer): string =>
    isPage(answer)
      ? (/<p class="lead">(.*?)<\/p>/.exec(answer.text)?.[1] ?? '')
      : String(answer.json['msg'] ?? answer.json['message'] ?? answer.json['error_description']);
  /** Holds an answer against the description: its status, its type, its body. */
  const hold = ({ id, family, operation }: CatalogueRow, path: string, answer: Answer): void => {
    const note = (fault: string) => {
      strays.push(`${id} ${path}: ${fault}`);
    };
    if (
      described.paths[path]?.[operation.method.toLowerCase()]?.responses[String(answer.status)] ===
      undefined
    )
      note(`status ${answer.status} is not described: ${answer.text.slice(0, 200)}`);
    if (answer.type?.includes('json') === true && answer.type !== 'application/json')
      note(`type ${answer.type}`);
    if (
      answer.status >= 400 &&
      answer.type !== (family === pageFamily ? 'text/html; charset=utf-8' : 'application/json')
    )
      note(`a refusal of type ${String(answer.type)}`);
    const validate =
      answer.type === 'application/json'
        ? validatorOf(operation.method, path, answer.status)
        : undefined;
    if (validate !== undefined && !validate(answer.json))
      note(`${answer.status} ${ajv.errorsText(validate.errors)}: ${answer.text.slice(0, 200)}`);
  };
  /** What a browser sends once somebody has signed in: the cookie, and the token for changes. */
  const asSession = async ({
    name,
    password,
  }: Member): Promise<Readonly<Record<string, string>>> => {
    const reply = await fetch(`${server.url}/api/auth/sign-in`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ name, password }),
    });
    return {
      Cookie: reply.headers.get('Set-Cookie')?.split(';', 1)[0] ?? '',
      'X-CSRF-Token': ((await reply.json()) as { readonly csrfToken: string }).csrfToken,
    }; // the row's reply
  };
  const ask = async (
    row: CatalogueRow,
    path: string,
    input: Input,
    key?: string,
  ): Promise<Answer> => {
    const who = asksSession(row)
      ? [people.home, people.keeper].find(({ apiKey }) => apiKey === key)
      : undefined;
    const answer = await send(
      server.url,
      row.operation.method,
      path,
      who === undefined
        ? input
        : { ...input, headers: { ...input.headers, ...(await asSession(who)) } },
      who === undefined ? key : undefined,
    );
    hold(row, path, answer);
    return answer;
  };
  const inputOf = (row: CatalogueRow, world: World, wish?: Wish): Input =>
    inputFor(row.id, row.operation, world, wish);
  const codeOf = (answer: Answer): unknown =>
    isPage(answer) || answer.status === 303 ? 0 : (answer.json['sdk_error_code'] ?? 0);
  /** The key of who may do it. */
  const keyFor = (row: CatalogueRow): string | undefined => {
    const { needs } = row.operation.access;
    return needs === 'public' || needs === 'visitor'
      ? undefined
      : needs === 'organization-admin'
        ? server.apiKey
        : fixtureOf(row).asks === 'leaver'
          ? people.leavers.pop()
          : fixtureOf(row).asks === 'keeper'
            ? people.keeper.apiKey
            : people.home.apiKey;
  };
  /** The world that a row is asked about: its own, where it uses up what it is asked about. */
  const worldFor = (row: CatalogueRow): Promise<World> =>
    consumes(row, home)
      ? makeWorld(server.url, people.home, {
          fixtures,
          supplies: people.supplies,
          slow: needsSlow(row, home),
        })
      : Promise.resolve(home);

  /** Cases for a row whose address carries the permission. */
  const askByLink = (row: CatalogueRow): void => {
    const { id, operation } = row;
    const askAt = async ({ pathname, search }: URL): Promise<Answer> => {
      const input = {
        query: {},
        params: {},
        ...(operation.body === undefined ? {} : { raw: 'x' }),
      };
      const answer = await send(server.url, operation.method, `${pathname}${search}`, input);
      hold(row, pathsOf(operation)[0] ?? '', answer);
      return answer;
    };
    const linkOf = async (): Promise<URL> => {
      const { link } = fixtureOf(row);
      if (link === undefined) throw new Error(`no area says how a link to ${id} is made`);
      return new URL(await link(makingFor(server.url, people.home)));
    };

    it('answers whoever holds the link', async () => {
      const answer = await askAt(await linkOf());
      expect(answer.status, answer.text).to.be.oneOf(Object.keys(operation.replies).map(Number));
    });

    it('refuses a link of which a part was changed or left out', async () => {
      const link = await linkOf();
      expect([...link.searchParams]).to.not.deep.equal([]);
      for (const [name, value] of link.searchParams)
        for (const other of [`${value}1`, undefined]) {
          const changed = new URL(link);
          if (other === undefined) changed.searchParams.delete(name);
          else changed.searchParams.set(name, other);
          const answer = await askAt(changed);
          expect(answer.status, `${name}: ${answer.text}`).to.be.oneOf([400, 403]);
        }
    });

    it('refuses a link of something else', async () => {
      const [link, other] = [await linkOf(), await linkOf()];
      other.pathname = other.pathname.replace(/[^/]+(?=(\/\d+)?$)/, freshKey());
      expect((await askAt(other)).status).to.be.oneOf([403, 404]);
      expect(link.pathname).to.not.equal(other.pathname);
    });
  };

  for (const row of rows) {
    const { id, operation } = row;
    describe(id, () => {
      const told = fixtureOf(row);
      if (operation.access.needs === 'signed') {
        askByLink(row);
        return;
      }
      for (const path of pathsOf(operation)) {
        if (told.refusesEverybody === true) {
          it(`refuses everybody at ${path}`, async () => {
            const answer = await ask(row, path, inputOf(row, home), keyFor(row));
            expect(answer.status, answer.text.slice(0, 300)).to.be.within(400, 404);
          });
          continue;
        }
        it(`answers its own at ${path}`, async () => {
          const ways = Math.max(
            1,
            ...subjectsOf(operation).map((subject) =>
              'paths' in subject ? subject.paths.length : 1,
            ),
          );
          for (let choice = 0; choice < ways; choice++) {
            const world = await worldFor(row);
            const answer = await ask(
              row,
              path,
              inputOf(row, world, { choice, for: 'work' }),
              keyFor(row),
            );
            expect(answer.status, answer.text.slice(0, 300)).to.be.oneOf(
              Object.keys(operation.replies).map(Number),
            );
          }
        });
      }

      if (!isRestricted(operation)) return;
      const [path = ''] = pathsOf(operation);
      if (told.answersItems === true)
        it("refuses each item that names what is another workspace's, or that a view-only member sends", async () => {
          for (const key of [people.stranger.apiKey, people.viewer.apiKey]) {
            const answer = await ask(row, path, inputOf(row, home), key);
            expect(
              Object.values(answer.json).map((item) => (item as { status: number }).status),
              answer.text,
            ).to.not.include(200); // one for each item, as the row says
          }
        });
      /** Whether a request can name a thing at all: one that cannot is about the caller's own workspace. */
      const namesSome =
        told.answersItems !== true && subjectsOf(operation).flatMap(placesOf).length > 0;

      for (const each of pathsOf(operation)) {
        it(`refuses who shows no key, or an unknown one, at ${each}`, async () => {
          const { status = 401, reason = tracks(row) ? 'keyUnknown' : undefined } =
            operation.wire?.refusals?.unauthenticated ?? {};
          for (const key of [undefined, 'nobody']) {
            const answer = await ask(row, each, inputOf(row, home), key);
            expect([answer.status, codeOf(answer)], answer.text).to.deep.equal([
              status,
              numberOf(reason),
            ]);
          }
        });
      }

      for (const place of new Set(
        subjectsOf(operation).flatMap((subject) =>
          'creates' in subject || 'each' in subject
            ? []
            : placesOf(subject).filter(
                (place) =>
                  !kindFixture(fixtures, subject.one).namedAnywhere ||
                  !subject.paths.some((path) => path.endsWith(`/${place}`)),
              ),
        ),
      )) {
        it(`answers another workspace's ${place} as it answers an unknown one`, async () => {
          const subject = subjectsOf(operation).find((one) => placesOf(one).includes(place));
          if (subject === undefined || !('one' in subject))
            throw new Error(`${place} names no subject`);
          const choice = subject.paths.findIndex((one) => one.split('/').includes(place));
          const [first, second] = subject.paths[choice]?.split('/') ?? [];
          // Named in two: by the workspace and the own name there.
          const named =
            told.foreign?.(home)[place] ??
            (second === undefined
              ? nameIn(home, subject.one)
              : place === first
                ? home.workspace
                : ownNameIn(home, subject.one));
          const unknown = kindFixture(fixtures, subject.one).unknown();
          const seen = [];
          for (const value of [named, unknown]) {
            // Two that must not be named together are not.
            const others = Object.fromEntries(
              placesOf(subject)
                .filter(
                  (one) =>
                    one !== place &&
                    !subject.paths.some(
                      (way) => way.split('/').includes(one) && way.split('/').includes(place),
                    ),
                )
                .map((one) => [one, undefined]),
            );
            const answer = await ask(
              row,
              path,
              inputOf(row, strange, { choice, with: { ...others, [place]: value } }),
              people.stranger.apiKey,
            );
            seen.push([answer.status, answer.text.replaceAll(value, '<named>')]);
            expect(answer.status, answer.text).to.be.within(400, 404);
          }
          expect(seen[0]).to.deep.equal(seen[1]);
        });

        if (!isSampled(`${id} texts`, rowsToOneTried)) continue;
        it(`refuses any text as ${place} without failing`, async () => {
          for (const value of someOf(anyTexts, 5, `${id} ${place}`)) {
            const subject = subjectsOf(operation).find((one) => placesOf(one).includes(place));
            const choice =
              subject !== undefined && 'one' in subject
                ? subject.paths.findIndex((one) => one.split('/').includes(place))
                : 0;
            const answer = await ask(
              row,
              path,
              inputOf(row, strange, { choice, with: { [place]: value } }),
              people.stranger.apiKey,
            );
            expect(answer.status, answer.text).to.be.below(500);
          }
        });
      }

      for (const subject of subjectsOf(operation)) {
        if (!('each' in subject) || told.answersItems === true) continue;
        it(`answers another workspace's keys in ${subject.each.name}s as unknown ones`, async () => {
          const seen = [];
          for (const key of [
            nameIn(home, subject.each),
            kindFixture(fixtures, subject.each).unknown(),
          ]) {
            const answer = await ask(
              row,
              path,
              inputOf(row, strange, {
                with: { [placesOf(subject)[0] ?? '']: subject.path.includes('*') ? key : [key] },
              }),
              people.stranger.apiKey,
            );
            seen.push([answer.status, answer.text.replaceAll(key, '<named>')]);
          }
          expect(seen[0]).to.deep.equal(seen[1]);
          if (subject.skipInaccessible !== true)
            expect(seen[0]?.[0]).to.equal(tracks(row) ? 400 : 404);
        });
      }

      for (const subject of subjectsOf(operation)) {
        if (!('creates' in subject)) continue;
        it(`makes nothing under another workspace's ${memberOf(subject.paths[0] ?? '')}`, async () => {
          const answer = await ask(
            row,
            path,
            inputOf(row, strange, {
              with: { [subject.paths[0] ?? '']: nameIn(home, subject.creates) },
            }),
            people.stranger.apiKey,
          );
          expect(answer.status, answer.text).to.equal(tracks(row) ? 400 : 404);
        });
      }

      if (namesSome)
        it('shows a stranger nothing of a whole workspace of others', async () => {
          const answer = await ask(row, path, inputOf(row, home), people.stranger.apiKey);
          const perItem = subjectsOf(operation).filter(
            (subject) => 'each' in subject && subject.skipInaccessible === true,
          );
          for (const subject of perItem)
            expect(answer.text).to.not.include(nameIn(home, kindOf(subject)));
          if (perItem.length > 0) return;
          expect(answer.status, answer.text).to.be.within(400, 404);
        });

      const isWorkspaces =
        operation.access.needs !== 'organization-admin' &&
        told.asks !== 'leaver' &&
        subjectsOf(operation).every(
          (subject) => !('one' in subject) || !kindFixture(fixtures, subject.one).ownersAlone,
        );
      if (namesSome && isWorkspaces)
        it(writes(row) ? 'refuses a view-only member' : 'answers a view-only member', async () => {
          const world = writes(row) ? home : await worldFor(row);
          const workspace = subjectsOf(operation).flatMap((subject) =>
            'one' in subject && subject.one.name === 'workspace' ? subject.paths.slice(0, 1) : [],
          );
          const answer = await ask(
            row,
            path,
            inputOf(row, world, {
              with: Object.fromEntries(workspace.map((place) => [place, world.workspace])),
            }),
            people.viewer.apiKey,
          );
          if (writes(row))
            expect([answer.status, codeOf(answer)], answer.text).to.deep.equal([
              403,
              hasCodes(row) ? 7000011 : 0,
            ]);
          else
            expect(answer.status, answer.text).to.be.oneOf(
              Object.keys(operation.replies).map(Number),
            );
        });

      if (operation.access.needs === 'organization-admin')
        it('refuses who does not administer the installation', async () => {
          const answer = await ask(row, path, inputOf(row, home), people.home.apiKey);
          expect(answer.status, answer.text).to.equal(403);
        });

      for (const place of requiredOf(row)) {
        it(`says that ${place} is missing`, async () => {
          const answer = await ask(
            row,
            path,
            inputOf(row, home, { with: { [place]: undefined } }),
            keyFor(row),
          );
          const subject = subjectsOf(operation).find((one) => placesOf(one).includes(place));
          expect(answer.status, answer.text).to.equal(
            // Of a thing that may be left out the gate says nothing: the shape of the body does.
            (subject === undefined || !('one' in subject) || subject.optional === true) &&
              place.startsWith('body.')
              ? (operation.wire?.refusals?.unprocessable?.status ??
                  row.family.dress.statuses[row.family.dress.brokenRule ?? 'invalid'])
              : 400,
          );
          expect(sentenceOf(answer)).to.match(/^.{3,400}$/);
          const code =
            subject === undefined || 'creates' in subject || 'each' in subject
              ? 7777777
              : kindFixture(fixtures, subject.one).missingCode;
          if (tracks(row)) expect(codeOf(answer), answer.text).to.equal(code);
          // A page begins its sentence with a capital.
          if (code === 7777777)
            expect(sentenceOf(answer).toLowerCase()).to.include(memberOf(place).toLowerCase());
        });
      }

      const wrongs = wrongsOf(row);
      if (wrongs.length === 0) return; // `every-operation.test.ts` counts these
      if (!isSampled(`${id} wrong values`, rowsToOneTried)) return;
      it('says of every field that holds the wrong thing which one it is', async () => {
        for (const [place, wrong] of someOf(wrongs, 3, `${id} wrong values`)) {
          const answer = await ask(
            row,
            path,
            inputOf(row, home, { with: { [place]: wrong } }),
            keyFor(row),
          );
          const isSubject = subjectsOf(operation).some((subject) =>
            placesOf(subject).includes(place),
          );
          expect(answer.status, `${place} = ${JSON.stringify(wrong)}: ${answer.text}`).to.equal(
            400,
          );
          // What names a thing is looked at before the body is read, in the words of its kind.
          if (!isSubject) expect(sentenceOf(answer), place).to.include(memberOf(place));
        }
      });
    });
  }

  it('answered only what its description says', () => {
    expect([...new Set(strays)]).to.deep.equal([]);
  });
};

/** Whether an answer is a page for people. */
function isPage({ type }: Answer): boolean {
  return type?.startsWith('text/html') === true;
}

/** Places of members that must be there, at the top of query and body. */
function requiredOf({ operation }: CatalogueRow): readonly string[] {
  return (['query', 'body'] as const).flatMap((where) =>
    (shapeOf(operation, where)?.required ?? []).map((name) => `${where}.${name}`),
  );
}

/** Members at the top of query and body, with their shapes. */
function typedOf({ operation }: CatalogueRow): readonly (readonly [string, Shape])[] {
  return fieldsOf(operation)
    .filter((place) => /^(query|body)\.[^.*]+$/.test(place))
    .flatMap((place) => {
      const [where = 'body', name = ''] = place.split('.');
      const shape = shapeOf(operation, where === 'query' ? 'query' : 'body')?.properties?.[name];
      return shape === undefined ? [] : [[place, shape] as const];
    });
}

/** The members of a row that can hold a wrong thing, each with one; any text of an address is a text, and a list of one. */
export function wrongsOf(row: CatalogueRow): readonly (readonly [string, unknown])[] {
  const { body } = row.operation;
  const onlyTexts = (place: string) =>
    place.startsWith('query.') || (body !== undefined && 'form' in body);
  return typedOf(row)
    .filter(([place, { lenient }]) => !(onlyTexts(place) && /^texts?$/.test(lenient ?? '')))
    .flatMap(([place, shape]) => wrongFor(shape).map((wrong) => [place, wrong] as const));
}

/** Values that a member of this shape must refuse. */
function wrongFor(shape: Shape): readonly unknown[] {
  if (shape.enum !== undefined) return ['none of them'];
  const wrong: Readonly<Record<string, readonly unknown[]>> = {
    integer: ['many', '1.5x'],
    millis: ['soon', '1.5x', -1e15],
    number: ['many'],
    flag: ['perhaps'],
    replacing: ['perhaps'],
    object: [[1], 'x'],
    objects: [5],
    text: [{ a: 1 }, ['x']],
    texts: [{ a: 1 }],
  };
  if (shape.type === 'array') return [5, 'x'];
  return wrong[shape.lenient ?? ''] ?? [];
}
