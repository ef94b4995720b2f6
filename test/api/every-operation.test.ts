// What every row answers, asked of a running server without cases of its own: made from the table, one row after the other.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { subjectsOf } from '#ports/api/operation';
import type { CatalogueRow } from '#ports/catalogue';
import { pendingUnlessAll } from '#test/pending';
import { startServer, type StartedServer } from '#test/clients/server';
import { someOf } from '#test/sampling';
import { inputFor, nameIn, ownNameIn, type Wish } from './building.js';
import { fieldsOf, isRestricted, pathsOf, placesOf, rows, shapeOf, type Shape } from './rows.js';
import { send, type Answer, type Input } from './sending.js';
import {
  freshKey,
  makePeople,
  makeWorld,
  mayCallNowhere,
  type Member,
  type People,
  type World,
} from './world.js';

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

/** Rows after which the thing they were asked about is gone or elsewhere. */
const consumes =
  /^(delete|move|complete|setProjectOwner|approve|reject|cancel|redeliver|revoke|rotateKey|takeBack)/;
/** Rows that only a session may ask. */
const asksSession = ({ operation: { by } }: CatalogueRow): boolean =>
  by !== undefined && !by.includes('key');
/** Rows after which every session of whoever asks has ended. */
const endsAll = new Set([
  'signOutEverywhere',
  'changePassword',
  'changeMyPassword',
  'endMySessions',
]);
/** Rows that take whoever asks out of the workspace. */
const leaves = new Set(['leaveWorkspace']);
/** Rows that are there to refuse, or answer a provider alone. */
const refuseEverybody = new Set(['refuseAnonymous', 'endByProvider']);
/** Rows whose reply says of each item what became of it. */
const answersItems = new Set(['logPrompts']);
const anyTexts: readonly string[] = [
  'nope',
  'x'.repeat(3000),
  '🦄\u202e',
  "'; drop table experiments; --",
  '../../etc/passwd',
];
let asked = 0;
const restricted = rows.filter(({ operation }) => isRestricted(operation));
/** Rows that answer in the envelope of the tracking wire. */
const tracks = ({ family }: CatalogueRow) => family === 'tracking' || family === 'administration';
const writes = ({ operation }: CatalogueRow) =>
  ['write', 'owner', 'workspace-admin'].includes(operation.access);

/** A place in the row's words as a sentence to a client names it. */
const memberOf = (place: string): string =>
  place
    .split('.')
    .filter((part) => part !== '*')
    .at(-1) ?? '';

describe('every operation', () => {
  let server: StartedServer;
  let people: People;
  let home: World;
  let strange: World;
  const strays: string[] = [];
  let described: Described;
  const validators = new Map<string, ValidateFunction | undefined>();
  const ajv = new Ajv2020({ strict: false, formats: { int64: true }, code: { optimize: false } });

  before('start a server', async function () {
    const started = await startServer({
      storage: 'embedded',
      env: {
        ...mayCallNowhere,
        ORRERY_CHECK_REPLIES: '1',
        SWAGGER_ENABLED: '1',
        ORRERY_REGISTRY_SELF_APPROVAL: '1',
        ORRERY_SIGN_UP: '1',
        ORRERY_LOG_LEVEL: 'error',
      },
    });
    if ('missing' in started) return pendingUnlessAll(this, started.missing);
    server = started;
    people = await makePeople(server);
    [home, strange] = await Promise.all([
      makeWorld(server.url, people.home),
      makeWorld(server.url, people.stranger),
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
      answer.type !== (family === 'page' ? 'text/html; charset=utf-8' : 'application/json')
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
  const keyFor = ({ id, operation: { access } }: CatalogueRow): string | undefined =>
    access === 'public' || access === 'visitor'
      ? undefined
      : access === 'organization-admin'
        ? server.apiKey
        : leaves.has(id)
          ? people.leavers.pop()
          : endsAll.has(id)
            ? people.keeper.apiKey
            : people.home.apiKey;

  for (const row of rows) {
    const { id, operation } = row;
    describe(id, () => {
      for (const path of pathsOf(operation)) {
        it(`answers its own at ${path}`, async () => {
          if (operation.access === 'signed' || refuseEverybody.has(id)) return;
          const ways = Math.max(
            1,
            ...subjectsOf(operation).map((subject) =>
              'paths' in subject ? subject.paths.length : 1,
            ),
          );
          for (let choice = 0; choice < ways; choice++) {
            const world = consumes.test(id)
              ? await makeWorld(server.url, people.home, { told: row.area === 'webhooks' })
              : home;
            const empty =
              id === 'deleteOwnWorkspace'
                ? { with: { 'body.workspaceName': people.home.ownSpaces?.pop() } }
                : {};
            const answer = await ask(
              row,
              path,
              inputOf(row, world, { choice, ...empty }),
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
      if (answersItems.has(id))
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
      const namesSome = !answersItems.has(id) && subjectsOf(operation).flatMap(placesOf).length > 0;

      for (const each of pathsOf(operation)) {
        it(`refuses who shows no key, or an unknown one, at ${each}`, async () => {
          const { status = 401, code = tracks(row) ? 90212 : 0 } =
            operation.refusals?.unauthenticated ?? {};
          for (const key of [undefined, 'nobody']) {
            const answer = await ask(row, each, inputOf(row, home), key);
            expect([answer.status, codeOf(answer)], answer.text).to.deep.equal([status, code]);
          }
        });
      }

      for (const place of new Set(
        subjectsOf(operation).flatMap((subject) =>
          'creates' in subject || 'each' in subject ? [] : placesOf(subject),
        ),
      )) {
        it(`answers another workspace's ${place} as it answers an unknown one`, async () => {
          const subject = subjectsOf(operation).find((one) => placesOf(one).includes(place));
          if (subject === undefined || !('one' in subject))
            throw new Error(`${place} names no subject`);
          const choice = subject.paths.findIndex((one) => one.split('/').includes(place));
          const named = ['projectName', 'modelName', 'registryModelName', 'artifactName'].includes(
            memberOf(place),
          )
            ? ownNameIn(home, subject.one)
            : memberOf(place) === 'assetId' && id.startsWith('upload3d')
              ? home.pictureId
              : memberOf(place) === 'workspaceName' ||
                  (memberOf(place) === 'workspace' && subject.one.name === 'artifact')
                ? home.workspace
                : nameIn(home, subject.one);
          const unknown = [
            'project',
            'upload',
            'panel',
            'optimizer',
            'artifact',
            'artifactVersion',
            'registryModel',
            'modelVersion',
            'statusRequest',
            'channel',
            'delivery',
          ].includes(subject.one.name)
            ? '01890000-0000-7000-8000-000000000000'
            : freshKey();
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

        it(`refuses any text as ${place} without failing`, async () => {
          for (const value of someOf(anyTexts, 5, asked++)) {
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
        if (!('each' in subject) || answersItems.has(id)) continue;
        it(`answers another workspace's keys in ${subject.each.name}s as unknown ones`, async () => {
          const seen = [];
          for (const key of [nameIn(home, subject.each), freshKey()]) {
            const answer = await ask(
              row,
              path,
              inputOf(row, strange, {
                with: { [subject.path]: subject.path.includes('*') ? key : [key] },
              }),
              people.stranger.apiKey,
            );
            seen.push([answer.status, answer.text.replaceAll(key, '<named>')]);
          }
          expect(seen[0]).to.deep.equal(seen[1]);
          expect(subject.skipInaccessible === true || Number(seen[0]?.[0]) === 400).to.equal(true);
        });
      }

      for (const subject of subjectsOf(operation)) {
        if (!('creates' in subject)) continue;
        it(`makes nothing under another workspace's ${memberOf(subject.paths[0] ?? '')}`, async () => {
          const answer = await ask(
            row,
            path,
            inputOf(row, strange, { with: { [subject.paths[0] ?? '']: home.experimentKey } }),
            people.stranger.apiKey,
          );
          expect(answer.status, answer.text).to.equal(400);
        });
      }

      if (namesSome)
        it('gives a stranger nothing of a whole foreign world', async () => {
          const answer = await ask(row, path, inputOf(row, home), people.stranger.apiKey);
          if (
            subjectsOf(operation).some(
              (subject) => 'each' in subject && subject.skipInaccessible === true,
            )
          )
            expect(answer.text).to.not.include(home.experimentKey);
          else expect(answer.status, answer.text).to.be.within(400, 404);
        });

      const isWorkspaces =
        operation.access !== 'organization-admin' &&
        !leaves.has(id) &&
        subjectsOf(operation).every(
          (subject) => !('one' in subject) || subject.one.name !== 'apiKey',
        );
      if (namesSome && isWorkspaces)
        it(writes(row) ? 'refuses a view-only member' : 'answers a view-only member', async () => {
          const world =
            consumes.test(id) && !writes(row)
              ? await makeWorld(server.url, people.home, { told: row.area === 'webhooks' })
              : home;
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
            expect([answer.status, codeOf(answer)], answer.text).to.deep.equal([403, 7000011]);
          else
            expect(answer.status, answer.text).to.be.oneOf(
              Object.keys(operation.replies).map(Number),
            );
        });

      if (operation.access === 'organization-admin')
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
          expect(answer.status, answer.text).to.equal(400);
          expect(sentenceOf(answer)).to.match(/^.{3,400}$/);
          const subject = subjectsOf(operation).find((one) => placesOf(one).includes(place));
          const code =
            subject === undefined || 'creates' in subject || 'each' in subject
              ? 7777777
              : subject.one.name === 'experiment'
                ? 90998
                : subject.one.name === 'project'
                  ? 98219
                  : 7777777;
          if (tracks(row)) expect(codeOf(answer), answer.text).to.equal(code);
          if (code === 7777777) expect(sentenceOf(answer)).to.include(memberOf(place));
        });
      }

      it('says of every field that holds the wrong thing which one it is', async () => {
        // Any text of an address is a list of one.
        const wrongs = typedOf(row)
          .filter(([place, shape]) => !place.startsWith('query.') || shape.lenient !== 'texts')
          .flatMap(([place, shape]) => wrongFor(shape).map((wrong) => [place, wrong] as const));
        for (const [place, wrong] of someOf(wrongs, 3)) {
          const answer = await ask(
            row,
            path,
            inputOf(row, home, { with: { [place]: wrong } }),
            keyFor(row),
          );
          expect(answer.status, `${place} = ${JSON.stringify(wrong)}: ${answer.text}`).to.equal(
            400,
          );
          const isSubject = subjectsOf(operation).some((subject) =>
            placesOf(subject).includes(place),
          );
          if (!isSubject) expect(sentenceOf(answer), place).to.include(memberOf(place));
        }
      });
    });
  }

  it('sends who must sign in first there, and back again', async () => {
    const { status, headers } = await fetch(`${server.url}/account?told=joined`, {
      redirect: 'manual',
    });
    expect([status, headers.get('Location')]).to.deep.equal([
      303,
      `/login?returnTo=${encodeURIComponent('/account?told=joined')}`,
    ]);
  });

  it('answered only what its description says', () => {
    expect([...new Set(strays)]).to.deep.equal([]);
  });

  it('asked of more than a hundred operations', () => {
    expect(restricted.length).to.be.greaterThan(90);
  });
});

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

/** Values that a member of this shape must refuse. */
function wrongFor(shape: Shape): readonly unknown[] {
  if (shape.enum !== undefined) return ['none of them'];
  const wrong: Readonly<Record<string, readonly unknown[]>> = {
    integer: ['many', '1.5x'],
    number: ['many'],
    flag: ['perhaps'],
    replacing: ['perhaps'],
    object: [[1], 'x'],
    objects: [5],
    texts: [{ a: 1 }],
  };
  if (shape.type === 'array') return [5, 'x'];
  return wrong[shape.lenient ?? ''] ?? [];
}
