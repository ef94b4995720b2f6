// Every write of LLM observability, broken off before and behind every statement that changes anything, and sent again as clients do.
import { expect } from 'chai';
import { pendingUnlessAll } from '#test/pending';
import { storageAdapters } from '#test/contract/adapters';
import { isWhole, oneOf } from '#test/sampling';
import { manners, type Manner } from './statements/breaking.js';
import { cases, type Case } from './statements/cases.js';
import { jobCases } from './statements/jobs.js';
import { startBreakable, type BreakableServer } from './statements/world.js';

/** Which of a request's statements may break at most: far more than any has. */
const mostStatements = 60;

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const name = /\b(?:project|thread|dataset|prompt|queue|eval|set|score)-[0-9a-f]{10}\b/g;
const moments = /^(created_at|last_updated_at|thread_model_updated_at|expires_at)$/;
const hashed = /^(version_hash|commit)$/;
const commit = /^[0-9a-f]{8}$/;

/** What is told, with ids and names by their order, and nothing of when it came. */
const comparable = (state: unknown): unknown => {
  const known = new Map<string, string>();
  const ordered = (found: string): string => {
    const one = known.get(found) ?? `<${known.size}>`;
    known.set(found, one);
    return one;
  };
  const told = JSON.stringify(state ?? null, (key, value: unknown) => {
    if (moments.test(key)) return undefined;
    const isHash = typeof value === 'string' && (hashed.test(key) || commit.test(value));
    return isHash ? ordered(value) : value;
  });
  return JSON.parse(told.replace(uuid, ordered).replace(name, ordered)) as unknown; // as it was, but for those
};

const isTaken = (status: number): boolean => status < 300;

for (const [place, adapter] of (isWhole()
  ? storageAdapters
  : storageAdapters.slice(0, 1)
).entries())
  describe(`writes that break off on ${adapter.name}`, function () {
    this.timeout(120_000);
    const jobs = jobCases();
    let opened: BreakableServer | { readonly missing: string };
    before('start a server', async () => {
      await jobs.start();
      opened = await startBreakable(adapter, {
        ...{ ORRERY_ALLOW_PRIVATE_TARGETS: '127.0.0.1', ORRERY_ALERT_WINDOW_SECONDS: '0' },
      });
    });
    after(async () => {
      if (!('missing' in opened)) await opened.stop();
      await jobs.stop();
    });

    /** Breaks one statement of a request. Answers whether the request came that far. */
    const breakOne = async (
      server: BreakableServer,
      { title, prepare }: Case,
      [number, manner]: readonly [number, Manner],
      { before, expected }: { readonly before: unknown; readonly expected: unknown },
    ): Promise<boolean> => {
      const { send, read, again, end, tells = true, inParts = false } = await prepare(server);

      server.breaking.breakAt(number, manner);
      const first = await send();
      const broken = server.breaking.mend();
      if (broken !== undefined) {
        const what = `${title}, ${manner} at statement ${number}: ${broken.slice(0, 200)}`;
        const between = comparable(await read());
        if (tells && isTaken(first.status))
          expect(between, `${what}; acknowledged`).to.deep.equal(expected);
        else if (!inParts)
          expect(between, `${what}; half-written`).to.deep.equal(
            JSON.stringify(between) === JSON.stringify(before) ? before : expected,
          );
        await again?.();
        const second = await send();
        // What is there already, or gone, may be refused, and is whole then.
        if (!isTaken(second.status))
          expect(second.status, `${what}; answered ${first.text}, then ${second.text}`).to.be.oneOf(
            [404, 409],
          );
        expect(comparable(await read()), `${what}; sent again`).to.deep.equal(expected);
      }
      await end?.();
      return broken !== undefined;
    };

    for (const one of [...cases, ...jobs.cases].filter(
      ({ only = adapter.name }) => only === adapter.name,
    ))
      it(`leaves nothing half-written or twice of ${one.title}, whichever statement is the last`, async function () {
        if ('missing' in opened) return pendingUnlessAll(this, opened.missing);
        const plain = await one.prepare(opened);
        const before = comparable(await plain.read());
        const { status, text } = await plain.send();
        expect(isTaken(status), text).to.equal(true);
        const expected = comparable(await plain.read());
        if (plain.shows !== false) expect(expected).to.not.deep.equal(before);
        await plain.end?.();

        // Each manner on one of the databases, and another run on another: all three on each take ten minutes more.
        const chosen = one.only === undefined ? [oneOf(manners, one.title, place)] : manners;
        for (const manner of chosen) {
          let number = 1;
          while (await breakOne(opened, one, [number, manner], { before, expected })) {
            number++;
            expect(number).to.be.below(mostStatements);
          }
          expect(number, manner).to.be.above(1);
        }
      });
  });
