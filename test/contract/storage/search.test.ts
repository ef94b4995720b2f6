import { expect } from 'chai';
import fc from 'fast-check';
import { valueKeyOf, valueKinds, prefixOf } from '#adapters/storage/sql/value-kinds';
import { numberOf } from '#adapters/storage/sql/metrics/runs';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import { satisfies, type Fact, type Facts } from '#core/experiments/query/satisfies';
import type { Comparison, Condition, Subject, SubjectKind } from '#ports/query';
import { onEachEngine } from './engines.js';
import { makeProject, makeRun, makeWorld, type MadeRun, type World } from './world.js';

const long = 'é'.repeat(189);
const texts = ['', 'a', 'A', 'B', 'ab', 'a ', ' a', 'a\t', 'é', 'e', '%', '_', '!', 'a%b', '\\', "'", '1', '1.0', '-3', '1e3', 'NaN', 'inf', '-Infinity', 'Infinity', 'true', '\uffff', '\u{1f600}', long, `${long}a`, `${long}ab`, `${long}abc`, `${long}a `, `${'\u{1f600}'.repeat(190)}x`];
const numbers = [0, -0, 1, 1.5, -3, 1000, 1e300, 5e-324, Infinity, -Infinity];

const factOf = (text: string): Fact => {
  const number = numberOf(text);
  return Number.isNaN(number) ? { text } : { text, number };
};

type LoggedKind = 'metric' | 'parameter' | 'other' | 'tag' | 'environment';

/** Notes a value as the areas that log do. */
const log = async ({ stores, connection }: SqlStorage, run: MadeRun, kind: LoggedKind, name: string, text: string): Promise<void> => {
  if (kind === 'metric') {
    await stores.metrics.append({ experimentId: run.id, points: [{ name, context: undefined, text, step: undefined, epoch: undefined, timestamp: 1 }], receivedAt: 1 });
    return;
  }
  const number = numberOf(text);
  const { project_id } = await connection.db('experiments').where({ id: run.id }).first('project_id') as { readonly project_id: string }; // the run was made before
  await connection.db('experiment_values').insert({ experiment_id: run.id, kind: valueKinds[kind], name_key: valueKeyOf(name), project_id, name, number: Number.isFinite(number) ? number : null, prefix: prefixOf(text), text, position: 0, time: 1 });
  await connection.db('project_names').insert({ project_id, kind: valueKinds[kind], name_key: valueKeyOf(name), name, numeric: Number.isFinite(number) }).onConflict(['project_id', 'kind', 'name_key']).ignore();
};

const subject: fc.Arbitrary<Subject> = fc.oneof(
  fc.record({ kind: fc.constantFrom<SubjectKind>('metric', 'parameter', 'other', 'tag', 'environment'), name: fc.constantFrom('a', 'b', 'A') }),
  fc.record({ kind: fc.constant<SubjectKind>('other'), name: fc.constantFrom('Name', 'throttled') }),
  fc.record({ kind: fc.constant<SubjectKind>('metadata'), name: fc.constantFrom('duration', 'start_server_timestamp', 'end_server_timestamp', 'file_name', 'file_path', 'optimizationId', 'experimentKey', 'hasCrashed', 'runActive', 'hasNotes', 'codeSHA') }),
);
const ofText = fc.constantFrom(...texts).map((text) => ({ type: 'text' as const, text }));
const ofNumber = fc.constantFrom(...numbers).map((number) => ({ type: 'number' as const, number }));
const ofInstant = fc.constantFrom(0, 999.5, 1000, 2000, 3000, 1e15, -1e300).map((instant) => ({ type: 'instant' as const, instant }));
const ofBoolean = fc.boolean().map((boolean) => ({ type: 'boolean' as const, boolean }));
const ordered = fc.oneof(ofText, ofNumber, ofInstant);
const claims = fc.oneof(
  fc.record({ operator: fc.constantFrom('present' as const, 'filled' as const) }),
  fc.record({ operator: fc.constant('equals' as const), operand: fc.oneof(ordered, ofBoolean) }),
  fc.record({ operator: fc.constantFrom('below' as const, 'atMost' as const, 'above' as const, 'atLeast' as const), operand: ordered }),
  fc.record({ operator: fc.constant('between' as const), low: ofNumber, high: ofNumber }),
  fc.record({ operator: fc.constant('between' as const), low: ofInstant, high: ofInstant }),
  fc.record({ operator: fc.constantFrom('contains' as const, 'startsWith' as const, 'endsWith' as const), operand: ofText }),
);
const comparison: fc.Arbitrary<Comparison> = fc.tuple(subject, claims).map(([about, claim]) => ({ type: 'comparison' as const, subject: about, ...claim }));
const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    comparison,
    fc.record({ type: fc.constantFrom('all' as const, 'any' as const), of: fc.array(tie('condition'), { maxLength: 3 }) }),
    fc.record({ type: fc.constant('not' as const), of: tie('condition') }),
  ),
}));

const everything: Condition = { type: 'all', of: [] };
const has = (kind: SubjectKind, name: string): Condition => ({ type: 'comparison', subject: { kind, name }, operator: 'present' });

interface Known { readonly run: MadeRun; readonly facts: Facts; readonly archived: boolean }

/** Runs whose values walk through all texts: at home, moved in, linked in, archived, deleted and elsewhere. */
const fill = async (storage: SqlStorage, world: World): Promise<readonly Known[]> => {
  const { stores } = storage;
  const elsewhere = { ...world, projectId: await makeProject(stores, world) };
  const known: Known[] = [];
  const kinds: readonly LoggedKind[] = ['metric', 'parameter', 'other', 'tag', 'environment'];
  for (const [at, text] of texts.entries()) {
    const place = (['home', 'linked', 'moved', 'elsewhere', 'deleted', 'home'] as const)[at % 6] ?? 'home';
    const run = await makeRun(stores, place === 'home' || place === 'deleted' ? world : elsewhere, { name: `run ${text}`, createdAt: 1000 });
    const values: Partial<Record<SubjectKind, Map<string, Fact>>> = {};
    for (const [step, kind] of kinds.entries()) {
      const name = ['a', 'b', 'A'][(at + step) % 3] ?? 'a';
      const value = kind === 'tag' ? name : texts[(at + step * 7) % texts.length] ?? '';
      await log(storage, run, kind, name, value);
      values[kind] = new Map([[name, factOf(value)]]);
    }
    const [fileName, end, crashed] = [at % 3 === 0 ? undefined : text, 1000 + (at % 4) * 1000, at % 2 === 0];
    await stores.experiments.update(run.id, { endTimeMillis: end, endSet: true, hasCrashed: crashed, archived: at % 5 === 4, ...(fileName === undefined ? {} : { fileName }) });
    if (place === 'linked') await stores.experiments.link(run.id, world.projectId);
    if (place === 'moved') await stores.experiments.move(run.id, { workspaceId: world.workspaceId, projectId: world.projectId });
    if (place === 'deleted') await stores.experiments.markDeleted(run.id, 5000);
    values.other = new Map([...(values.other ?? []), ['Name', { text: `run ${text}` }], ['throttled', { text: 'false' }]]);
    values.metadata = new Map<string, Fact>([
      ['duration', { number: (end - 1000) / 1000 }], ['start_server_timestamp', { instant: 1000 }], ['end_server_timestamp', { instant: end }], ['experimentKey', { text: run.key }],
      ['hasCrashed', { boolean: crashed }], ['runActive', { boolean: false }], ['hasNotes', { boolean: false }], ...(fileName === undefined ? [] : [['file_name', { text: fileName }] as const]),
    ]);
    if (place !== 'elsewhere' && place !== 'deleted') known.push({ run, facts: values, archived: at % 5 === 4 });
  }
  return known;
};

onEachEngine('search', (open) => {
  let world: World;
  let known: readonly Known[];
  before(async function () {
    this.timeout(60_000);
    world = await makeWorld(open().stores);
    known = await fill(open(), world);
  });
  const find = (asked: Condition, archived = false) => open().stores.search.find(world.projectId, asked, { archived });

  it('finds exactly the runs of which a condition is true, at home, moved in and linked in', async function () {
    this.timeout(120_000);
    await fc.assert(
      fc.asyncProperty(condition, fc.boolean(), async (asked, archived) => {
        const found = (await find(asked, archived)).map((one) => one.key).sort();

        expect(found).to.deep.equal(known.filter((one) => one.archived === archived && satisfies(asked, one.facts)).map((one) => one.run.key).sort());
      }),
      { numRuns: 400 },
    );
  });

  it('finds a run by a point logged just before', async () => {
    const run = await makeRun(open().stores, world);
    const above = (number: number): Condition => ({ type: 'comparison', subject: { kind: 'metric', name: 'fresh' }, operator: 'above', operand: { type: 'number', number } });
    await log(open(), run, 'metric', 'fresh', '1');
    await log(open(), run, 'metric', 'fresh', '5');

    const found = await find(above(4));

    expect(found.map((one) => one.key)).to.deep.equal([run.key]);
    await open().stores.experiments.markDeleted(run.id, 1);
  });

  it('finds a metric that was logged with a context by its full name', async () => {
    const run = await makeRun(open().stores, world);
    await open().stores.metrics.append({ experimentId: run.id, points: [{ name: 'val_step_loss', context: 'val_step', text: '1', step: 1, epoch: undefined, timestamp: 1 }], receivedAt: 1 });

    const found = await find(has('metric', 'val_step_loss'));

    expect(found.map((one) => one.key)).to.deep.equal([run.key]);
    await open().stores.experiments.markDeleted(run.id, 1);
  });

  it('does not find a run any more where its link was taken away', async () => {
    const elsewhere = { ...world, projectId: await makeProject(open().stores, world) };
    const run = await makeRun(open().stores, elsewhere);
    await log(open(), run, 'parameter', 'linked once', '1');
    await open().stores.experiments.link(run.id, world.projectId);
    const before = await find(has('parameter', 'linked once'));

    await open().stores.experiments.unlink(run.id, world.projectId);

    expect(before.map((one) => one.key)).to.deep.equal([run.key]);
    expect(await find(has('parameter', 'linked once'))).to.deep.equal([]);
  });

  it('gives pages in one order, newest start first, that hold every run once', async () => {
    const paged = { ...world, projectId: await makeProject(open().stores, world) };
    const runs: MadeRun[] = [];
    for (const createdAt of [3000, 1000, 2000, 2000, 5000]) runs.push(await makeRun(open().stores, paged, { createdAt }));
    const page = (offset: number) => open().stores.search.find(paged.projectId, everything, { archived: false, offset, limit: 2 });

    const found = [...(await page(0)), ...(await page(2)), ...(await page(4)), ...(await page(6))];

    expect(found.map((one) => one.startTimeMillis)).to.deep.equal([5000, 3000, 2000, 2000, 1000]);
    expect(new Set(found.map((one) => one.key))).to.deep.equal(new Set(runs.map((run) => run.key)));
  });

  it('names what is in use in a project, also by linked and by moved runs', async () => {
    const fresh = { ...world, projectId: await makeProject(open().stores, world) };
    const elsewhere = { ...world, projectId: await makeProject(open().stores, world) };
    const [own, linked, moved] = [await makeRun(open().stores, fresh), await makeRun(open().stores, elsewhere), await makeRun(open().stores, elsewhere)];
    await log(open(), own, 'parameter', 'rate', '0.5');
    await log(open(), linked, 'other', 'note', 'text');
    await log(open(), moved, 'metric', 'loss', '1');
    await open().stores.experiments.link(linked.id, fresh.projectId);
    await open().stores.experiments.move(moved.id, fresh);

    const columns = await open().stores.search.columns(fresh.projectId);

    expect(columns).to.deep.equal([{ kind: 'metric', name: 'loss', numeric: true }, { kind: 'other', name: 'note', numeric: false }, { kind: 'parameter', name: 'rate', numeric: true }]);
  });
});
