import { expect } from 'chai';
import fc from 'fast-check';
import { satisfies, type Fact, type Facts } from '#core/experiments/query/satisfies';
import type { Comparison, Condition, Subject, SubjectKind } from '#ports/query';
import type { Experiment } from '#ports/model/experiments';
import type { Project } from '#ports/model/projects';
import type { Storage } from '#ports/storage/storage';
import { addExperiment, addProject, freshId, freshKey, point } from './builders.js';
import { claimsOver } from './claims.js';

const long = 'é'.repeat(189);
const texts = [
  '',
  'a',
  'A',
  'B',
  'ab',
  'a ',
  ' a',
  'a\t',
  'é',
  'e',
  '%',
  '_',
  '!',
  'a%b',
  '\\',
  "'",
  '1',
  '1.0',
  '-3',
  '1e3',
  'NaN',
  'inf',
  '-Infinity',
  'Infinity',
  'true',
  '\uffff',
  '\u{1f600}',
  long,
  `${long}a`,
  `${long}ab`,
  `${long}abc`,
  `${long}a `,
  `${'\u{1f600}'.repeat(190)}x`,
];
const numbers = [0, -0, 1, 1.5, -3, 1000, 1e300, 5e-324, Infinity, -Infinity];

/** The number a text stands for, as Python spells numbers. */
const numberOf = (text: string): number | undefined => {
  if (/^[+-]?inf(inity)?$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  return /^[+-]?\d+(\.\d*)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined;
};
const factOf = (text: string): Fact => {
  const number = numberOf(text);
  return number === undefined ? { text } : { text, number };
};

type LoggedKind = 'metric' | 'parameter' | 'other' | 'tag' | 'environment';

const log = async (
  { stores }: Storage,
  { id }: Experiment,
  kind: LoggedKind,
  name: string,
  text: string,
): Promise<void> => {
  if (kind === 'metric')
    await stores.metrics.append({
      experimentId: id,
      points: [point({ name, text })],
      receivedAt: 1,
    });
  else if (kind === 'tag') await stores.values.addTags(id, [name], 1);
  else
    await stores.values.write({
      experimentId: id,
      kind,
      values: [{ name, context: undefined, text, step: undefined, timestamp: 1 }],
      receivedAt: 1,
    });
};

const subject: fc.Arbitrary<Subject> = fc.oneof(
  fc.record({
    kind: fc.constantFrom<SubjectKind>('metric', 'parameter', 'other', 'tag', 'environment'),
    name: fc.constantFrom('a', 'b', 'A'),
  }),
  fc.record({
    kind: fc.constant<SubjectKind>('other'),
    name: fc.constantFrom('Name', 'throttled'),
  }),
  fc.record({
    kind: fc.constant<SubjectKind>('metadata'),
    name: fc.constantFrom(
      'duration',
      'start_server_timestamp',
      'end_server_timestamp',
      'file_name',
      'file_path',
      'optimizationId',
      'experimentKey',
      'hasCrashed',
      'runActive',
      'hasNotes',
      'codeSHA',
    ),
  }),
);
const claims = claimsOver({
  text: fc.constantFrom(...texts),
  number: fc.constantFrom(...numbers),
  instant: fc.constantFrom(0, 999.5, 1000, 2000, 3000, 1e15, -1e300),
  boolean: fc.boolean(),
});
const comparison: fc.Arbitrary<Comparison> = fc
  .tuple(subject, claims)
  .map(([about, claim]) => ({ type: 'comparison' as const, subject: about, ...claim }));
const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    comparison,
    fc.record({
      type: fc.constantFrom('all' as const, 'any' as const),
      of: fc.array(tie('condition'), { maxLength: 3 }),
    }),
    fc.record({ type: fc.constant('not' as const), of: tie('condition') }),
  ),
}));

const everything: Condition = { type: 'all', of: [] };
const has = (kind: SubjectKind, name: string): Condition => ({
  type: 'comparison',
  subject: { kind, name },
  operator: 'present',
});

interface Known {
  readonly run: Experiment;
  readonly facts: Facts;
  readonly archived: boolean;
}

/** Runs whose values walk through all texts: at home, moved in, linked in, archived, deleted and elsewhere. */
const fill = async (storage: Storage, project: Project): Promise<readonly Known[]> => {
  const { stores } = storage;
  const elsewhere = await addProject(storage, { workspaceId: project.workspaceId });
  const known: Known[] = [];
  const kinds: readonly LoggedKind[] = ['metric', 'parameter', 'other', 'tag', 'environment'];
  for (const [at, text] of texts.entries()) {
    const place =
      (['home', 'linked', 'moved', 'elsewhere', 'deleted', 'home'] as const)[at % 6] ?? 'home';
    const run = await addExperiment(storage, {
      projectId: place === 'home' || place === 'deleted' ? project.id : elsewhere.id,
      name: `run ${text}`,
      createdAt: 1000,
    });
    const values: Partial<Record<SubjectKind, Map<string, Fact>>> = {};
    for (const [step, kind] of kinds.entries()) {
      const name = ['a', 'b', 'A'][(at + step) % 3] ?? 'a';
      const value = kind === 'tag' ? name : (texts[(at + step * 7) % texts.length] ?? '');
      await log(storage, run, kind, name, value);
      values[kind] = new Map([[name, factOf(value)]]);
    }
    const [fileName, end, crashed, noted] = [
      at % 3 === 0 ? undefined : text,
      1000 + (at % 4) * 1000,
      at % 2 === 0,
      at % 4 === 3,
    ];
    await stores.experiments.update(run.id, {
      endTimeMillis: end,
      endSet: true,
      hasCrashed: crashed,
      archived: at % 5 === 4,
      ...(fileName === undefined ? {} : { fileName }),
    });
    if (at % 2 === 1)
      await stores.texts.replace({
        experimentId: run.id,
        kind: 'notes',
        content: noted ? 'seen' : '',
      });
    if (place === 'linked') await stores.experiments.link(run.id, project.id);
    if (place === 'moved')
      await stores.experiments.move([run.id], {
        workspaceId: project.workspaceId,
        projectId: project.id,
      });
    if (place === 'deleted') await stores.experiments.markDeleted(run.id, 5000);
    values.other = new Map([
      ...(values.other ?? []),
      ['Name', { text: `run ${text}` }],
      ['throttled', { text: 'false' }],
    ]);
    values.metadata = new Map<string, Fact>([
      ['duration', { number: (end - 1000) / 1000 }],
      ['start_server_timestamp', { instant: 1000 }],
      ['end_server_timestamp', { instant: end }],
      ['experimentKey', { text: run.key }],
      ['hasCrashed', { boolean: crashed }],
      ['runActive', { boolean: false }],
      ['hasNotes', { boolean: noted }],
      ...(fileName === undefined ? [] : [['file_name', { text: fileName }] as const]),
    ]);
    if (place !== 'elsewhere' && place !== 'deleted')
      known.push({ run, facts: values, archived: at % 5 === 4 });
  }
  return known;
};

/** What every search store keeps to. */
export const searchContract = (storage: () => Storage): void => {
  let project: Project;
  let known: readonly Known[];
  before(async function () {
    this.timeout(60_000);
    project = await addProject(storage());
    known = await fill(storage(), project);
  });
  const find = (asked: Condition, archived = false) =>
    storage().stores.search.find(project.id, asked, { archived });

  it('finds exactly the runs of which a condition is true, at home, moved in and linked in', async function () {
    this.timeout(120_000);
    await fc.assert(
      fc.asyncProperty(
        condition,
        fc.boolean(),
        fc.constantFrom(1, 2, 5, 600),
        async (asked, archived, limit) => {
          const found = await find(asked, archived);
          const page = await storage().stores.search.find(project.id, asked, { archived, limit });

          expect(page).to.deep.equal(found.slice(0, limit));
          expect(found.map((one) => one.key).sort()).to.deep.equal(
            known
              .filter((one) => one.archived === archived && satisfies(asked, one.facts))
              .map((one) => one.run.key)
              .sort(),
          );
        },
      ),
      { numRuns: 400 },
    );
  });

  it('compares every text and number with every operand as conditions mean it, for metrics and for logged values', async function () {
    this.timeout(120_000);
    const compared = await addProject(storage());
    const runs = await Promise.all(
      texts.map(async (text) => {
        const run = await addExperiment(storage(), { projectId: compared.id });
        await log(storage(), run, 'metric', 'x', text);
        await log(storage(), run, 'parameter', 'x', text);
        return {
          run,
          facts: {
            metric: new Map([['x', factOf(text)]]),
            parameter: new Map([['x', factOf(text)]]),
          },
        };
      }),
    );
    const ofTexts = (
      [
        'equals',
        'below',
        'atMost',
        'above',
        'atLeast',
        'contains',
        'startsWith',
        'endsWith',
      ] as const
    ).flatMap((operator) =>
      texts.map((text) => ({ operator, operand: { type: 'text' as const, text } })),
    );
    const ofNumbers = (['equals', 'below', 'atMost', 'above', 'atLeast'] as const).flatMap(
      (operator) =>
        numbers.map((value) => ({ operator, operand: { type: 'number' as const, number: value } })),
    );

    const wrong: unknown[] = [];
    for (const kind of ['metric', 'parameter'] as const)
      for (const claim of [...ofTexts, ...ofNumbers]) {
        const asked: Condition = { type: 'comparison', subject: { kind, name: 'x' }, ...claim };
        const found = (await storage().stores.search.find(compared.id, asked, { archived: false }))
          .map((one) => one.key)
          .sort();
        if (
          found.join() !==
          runs
            .filter((one) => satisfies(asked, one.facts))
            .map((one) => one.run.key)
            .sort()
            .join()
        )
          wrong.push({ kind, ...claim });
      }

    expect(wrong).to.deep.equal([]);
  });

  it('finds a run by a point logged just before', async () => {
    const run = await addExperiment(storage(), { projectId: project.id });
    const above = (number: number): Condition => ({
      type: 'comparison',
      subject: { kind: 'metric', name: 'fresh' },
      operator: 'above',
      operand: { type: 'number', number },
    });
    await log(storage(), run, 'metric', 'fresh', '1');
    await log(storage(), run, 'metric', 'fresh', '5');

    const found = await find(above(4));

    expect(found.map((one) => one.key)).to.deep.equal([run.key]);
    await storage().stores.experiments.markDeleted(run.id, 1);
  });

  it('finds a metric that was logged with a context by its full name', async () => {
    const run = await addExperiment(storage(), { projectId: project.id });
    await storage().stores.metrics.append({
      experimentId: run.id,
      points: [
        {
          name: 'val_step_loss',
          context: 'val_step',
          text: '1',
          step: 1,
          epoch: undefined,
          timestamp: 1,
        },
      ],
      receivedAt: 1,
    });

    const found = await find(has('metric', 'val_step_loss'));

    expect(found.map((one) => one.key)).to.deep.equal([run.key]);
    await storage().stores.experiments.markDeleted(run.id, 1);
  });

  it('finds runs by whether they have HTML or images', async () => {
    const shown = await addProject(storage());
    const [html, image, none] = [
      await addExperiment(storage(), { projectId: shown.id }),
      await addExperiment(storage(), { projectId: shown.id }),
      await addExperiment(storage(), { projectId: shown.id }),
    ];
    await storage().stores.texts.replace({ experimentId: html.id, kind: 'html', content: '<p>' });
    await storage().stores.texts.replace({ experimentId: none.id, kind: 'graph', content: 'g' });
    const rowId = freshId();
    await storage().stores.assets.insert(
      {
        id: freshKey(),
        rowId,
        experimentId: image.id,
        workspaceId: shown.workspaceId,
        fileName: 'a.png',
        type: 'image',
        fileSize: 0,
        runContext: undefined,
        step: undefined,
        epoch: undefined,
        metadata: undefined,
        remoteLink: 's3://b/c',
        blobKey: undefined,
        sha256: undefined,
        groupingName: undefined,
        artifactVersionId: undefined,
        extension: undefined,
        tags: [],
        width: undefined,
        height: undefined,
        partOf: undefined,
        createdAt: 1,
      },
      { replacing: false, idGiven: true },
    );
    const keysWith = async (name: string, boolean: boolean) =>
      (
        await storage().stores.search.find(
          shown.id,
          {
            type: 'comparison',
            subject: { kind: 'metadata', name },
            operator: 'equals',
            operand: { type: 'boolean', boolean },
          },
          { archived: false },
        )
      )
        .map((one) => one.key)
        .sort();

    expect([await keysWith('hasHtml', true), await keysWith('hasImages', true)]).to.deep.equal([
      [html.key],
      [image.key],
    ]);
    expect([await keysWith('hasHtml', false), await keysWith('hasImages', false)]).to.deep.equal([
      [image.key, none.key].sort(),
      [html.key, none.key].sort(),
    ]);
  });

  it('no longer finds a run where its link was removed', async () => {
    const elsewhere = await addProject(storage(), { workspaceId: project.workspaceId });
    const run = await addExperiment(storage(), { projectId: elsewhere.id });
    await log(storage(), run, 'parameter', 'linked once', '1');
    await storage().stores.experiments.link(run.id, project.id);
    const before = await find(has('parameter', 'linked once'));

    await storage().stores.experiments.unlink(run.id, project.id);

    expect(before.map((one) => one.key)).to.deep.equal([run.key]);
    expect(await find(has('parameter', 'linked once'))).to.deep.equal([]);
  });

  it('gives pages in one order, newest start first, that hold every run once', async () => {
    const paged = await addProject(storage());
    const runs: Experiment[] = [];
    for (const createdAt of [3000, 1000, 2000, 2000, 5000])
      runs.push(await addExperiment(storage(), { projectId: paged.id, createdAt }));
    const page = (offset: number) =>
      storage().stores.search.find(paged.id, everything, { archived: false, offset, limit: 2 });

    const found = [...(await page(0)), ...(await page(2)), ...(await page(4)), ...(await page(6))];

    expect(found.map((one) => one.startTimeMillis)).to.deep.equal([5000, 3000, 2000, 2000, 1000]);
    expect(new Set(found.map((one) => one.key))).to.deep.equal(new Set(runs.map((run) => run.key)));
  });

  it('gives pages of a condition, whether many runs satisfy it or few, as parts of what it finds without pages', async () => {
    const holds: Condition = {
      type: 'comparison',
      subject: { kind: 'parameter', name: 'a' },
      operator: 'contains',
      operand: { type: 'text', text: 'a' },
    };
    const conditions: readonly Condition[] = [
      everything,
      has('parameter', 'a'),
      { type: 'not', of: has('metric', 'b') },
      { type: 'all', of: [has('parameter', 'a'), has('tag', 'b')] },
      holds,
      { type: 'not', of: holds },
      { type: 'any', of: [holds, has('metadata', 'file_name')] },
    ];
    for (const condition of conditions) {
      for (const ascending of [false, true])
        for (const sortBy of ['startTime', 'endTime'] as const) {
          const options = { archived: false, ascending, sortBy };
          const whole = await storage().stores.search.find(project.id, condition, options);
          for (const [offset, limit] of [
            [0, 1],
            [1, 1],
            [0, 3],
            [2, 4],
            [5, 20],
            [0, 600],
            [3, 600],
          ] as const)
            // the last two are more than is walked through one by one
            expect(
              await storage().stores.search.find(project.id, condition, {
                ...options,
                offset,
                limit,
              }),
              `${offset}+${limit}`,
            ).to.deep.equal(whole.slice(offset, offset + limit));
        }
    }
  });

  it('names what is in use in a project, also by linked and by moved runs', async () => {
    const fresh = await addProject(storage(), { workspaceId: project.workspaceId });
    const elsewhere = await addProject(storage(), { workspaceId: project.workspaceId });
    const [own, linked, moved] = [
      await addExperiment(storage(), { projectId: fresh.id }),
      await addExperiment(storage(), { projectId: elsewhere.id }),
      await addExperiment(storage(), { projectId: elsewhere.id }),
    ];
    await log(storage(), own, 'parameter', 'rate', '0.5');
    await log(storage(), linked, 'other', 'note', 'text');
    await log(storage(), moved, 'metric', 'loss', '1');
    await storage().stores.experiments.link(linked.id, fresh.id);
    await storage().stores.experiments.move([moved.id], {
      workspaceId: fresh.workspaceId,
      projectId: fresh.id,
    });

    const columns = await storage().stores.search.columns(fresh.id);

    expect(columns).to.deep.equal([
      { kind: 'metric', name: 'loss', numeric: true },
      { kind: 'other', name: 'note', numeric: false },
      { kind: 'parameter', name: 'rate', numeric: true },
    ]);
  });

  it('forgets names that no experiment has any more, once they have been unused for long enough', async () => {
    const fresh = await addProject(storage(), { workspaceId: project.workspaceId });
    const [run, other] = [
      await addExperiment(storage(), { projectId: fresh.id }),
      await addExperiment(storage(), { projectId: fresh.id }),
    ];
    const { search, values, experiments } = storage().stores;
    await log(storage(), run, 'tag', 'gone', '');
    await log(storage(), run, 'tag', 'back', '');
    await log(storage(), run, 'parameter', 'kept', '1');
    await values.removeTags(run.id, ['gone', 'back']);
    const names = async () => (await search.columns(fresh.id)).map(({ name }) => name).sort();
    /** Looks through all names, few at a time. */
    const look = async (now: number, before: number) => {
      const places: string[] = [];
      let after: string | undefined;
      do {
        after = await search.forgetNames(after, { now, before }, 200);
        if (after !== undefined) places.push(after);
      } while (after !== undefined);
      return places;
    };

    expect(await names()).to.deep.equal(['back', 'gone', 'kept']);
    const places = await look(1000, 0);
    expect(new Set(places).size).to.equal(places.length);
    expect(await names()).to.deep.equal(['back', 'gone', 'kept']);
    await look(2000, 999);
    expect(await names()).to.deep.equal(['back', 'gone', 'kept']);

    // What comes into use again begins anew, also where another experiment brings it along.
    const elsewhere = await addProject(storage(), { workspaceId: project.workspaceId });
    const moved = await addExperiment(storage(), { projectId: elsewhere.id });
    await log(storage(), moved, 'tag', 'back', '');
    await experiments.move([moved.id], {
      workspaceId: fresh.workspaceId,
      projectId: fresh.id,
    });
    await look(3000, 1000);
    expect(await names()).to.deep.equal(['back', 'kept']);
    await values.removeTags(moved.id, ['back']);
    await look(4000, 1000);
    expect(await names()).to.deep.equal(['back', 'kept']);
    await log(storage(), other, 'tag', 'back', '');
    await look(5000, 4000);
    await look(6000, 6000);
    expect(await names()).to.deep.equal(['back', 'kept']);
  });
};
