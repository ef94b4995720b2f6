import { expect } from 'chai';
import fc from 'fast-check';
import type { Experiment } from '#ports/model/experiments';
import type { Project } from '#ports/model/projects';
import type { Condition } from '#ports/query';
import type {
  Cell,
  ColumnQuery,
  GroupQuery,
  LoggedKind,
  RunColumn,
  RunGroup,
  RunPosition,
  RunQuery,
  RunSort,
  SortKey,
  ValueQuery,
} from '#ports/storage/run-table';
import type { Storage } from '#ports/storage/storage';
import {
  addExperiment,
  addProject,
  addUser,
  freshId,
  point,
  rejection,
  start,
} from './builders.js';

/** What was logged under each name, in its order, and what the server keeps: the slow truth. */
interface Known {
  readonly run: Experiment;
  readonly logged: ReadonlyMap<string, readonly string[]>;
  readonly facts: Readonly<Record<string, Cell>>;
}

const everything: Condition = { type: 'all', of: [] };
const numberOf = (text: string): number | undefined =>
  /^-?\d+(\.\d*)?(e[+-]?\d+)?$/.test(text) ? Number(text) : undefined;
const firstSigns = (text: string): string => [...text].slice(0, 190).join('');
const keyOf = ({ kind, name }: { readonly kind: string; readonly name: string }) =>
  `${kind} ${name}`;

/** The value of a run in a column, by what was logged. */
const valueOf = ({ logged, facts }: Known, column: RunColumn): Cell => {
  if (column.kind === 'metadata') return facts[column.name] ?? null;
  const texts = logged.get(keyOf(column)) ?? [];
  const numbers = texts.flatMap((text) => numberOf(text) ?? []);
  if (column.value === 'min') return numbers.length === 0 ? null : Math.min(...numbers);
  if (column.value === 'max') return numbers.length === 0 ? null : Math.max(...numbers);
  const last = texts.at(-1);
  return last === undefined ? null : (numberOf(last) ?? last);
};
const sortKeyOf = (known: Known, column: RunColumn): SortKey => {
  const value = valueOf(known, column);
  if (typeof value === 'string') return firstSigns(value);
  return Array.isArray(value)
    ? ([...(value as string[])].sort(byCodePoints)[0] ?? null)
    : (value as SortKey); // what is neither text nor list
};
const rankOf = (key: SortKey) => (key === null ? 2 : typeof key === 'number' ? 0 : 1);
const byCodePoints = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other));
const compareKeys = (one: SortKey, other: SortKey, descending: boolean): number => {
  if (rankOf(one) !== rankOf(other)) return rankOf(one) - rankOf(other);
  const sign = descending ? -1 : 1;
  if (typeof one === 'number' && typeof other === 'number') return sign * (one - other);
  return typeof one === 'string' && typeof other === 'string' ? sign * byCodePoints(one, other) : 0;
};

/** All of the runs in the order asked for. */
const sorted = (known: readonly Known[], sort: readonly RunSort[]): readonly Known[] =>
  [...known].sort((one, other) => {
    for (const { column, descending } of sort) {
      const order = compareKeys(sortKeyOf(one, column), sortKeyOf(other, column), descending);
      if (order !== 0) return order;
    }
    const order = one.run.id < other.run.id ? -1 : 1;
    return sort[0]?.descending === false ? order : -order;
  });

const long = 'é'.repeat(189);
/** Numbers, texts, both and neither, with many that are equal. */
const texts: readonly (string | undefined)[] = [
  '1',
  '1',
  '1.0',
  '-3',
  '0.1',
  '1e3',
  '1e-7',
  '10',
  '9',
  undefined,
  'a',
  'a',
  'A',
  'a ',
  'é',
  'NaN',
  'inf',
  '',
  '\u{1f600}',
  '\uffff',
  long,
  `${long}a`,
  `${long}ab`,
  `${long}ac`,
  undefined,
  '2',
  '12345678901234567890',
];

const columnOf = (
  kind: LoggedKind,
  name: string,
  value: 'last' | 'min' | 'max' = 'last',
): RunColumn => ({ kind, name, value });
const fact = (name: (RunColumn & { kind: 'metadata' })['name']): RunColumn => ({
  kind: 'metadata',
  name,
});

const columns: readonly RunColumn[] = [
  columnOf('parameter', 'mixed'),
  columnOf('parameter', 'number'),
  columnOf('parameter', 'text'),
  columnOf('parameter', 'nobody'),
  columnOf('other', 'mixed'),
  columnOf('environment', 'os'),
  columnOf('tag', 'red'),
  columnOf('metric', 'loss'),
  columnOf('metric', 'loss', 'min'),
  columnOf('metric', 'loss', 'max'),
  columnOf('metric', 'train_acc'),
  fact('key'),
  fact('name'),
  fact('state'),
  fact('start'),
  fact('end'),
  fact('duration'),
  fact('user'),
  fact('archived'),
  fact('fileName'),
  fact('codeSHA'),
  fact('tags'),
];

const logValues = async (
  { stores }: Storage,
  { id }: Experiment,
  kind: LoggedKind | 'noted',
  name: string,
  text: string,
): Promise<void> => {
  if (kind === 'tag') await stores.values.addTags(id, [name], 1);
  else if (kind !== 'metric')
    await stores.values.write({
      experimentId: id,
      kind,
      values: [{ name, context: undefined, text, step: undefined, timestamp: 1 }],
      receivedAt: 1,
    });
};

/** What the run of this place in the project logs. */
const loggedBy = (at: number): ReadonlyMap<string, readonly string[]> => {
  const text = texts[at % texts.length];
  const other = texts[(at * 7 + 3) % texts.length];
  const loss = [String((at * 7) % 5), String((at * 3) % 4), ['NaN', '2', '0.5'][at % 3] ?? ''];
  const all: readonly (readonly [string, readonly (string | undefined)[]])[] = [
    ['parameter mixed', [text]],
    ['parameter number', at % 5 === 4 ? [] : [String((at % 6) / 2)]],
    ['parameter text', at % 4 === 3 ? [] : [['x', 'y', 'y '][at % 3]]],
    ['other mixed', [other]],
    ['environment os', [at % 2 === 0 ? 'linux' : undefined]],
    ['tag red', at % 3 === 0 ? ['red'] : []],
    ['tag blue', at % 4 === 0 ? ['blue'] : []],
    ['metric loss', at % 6 === 5 ? [] : loss],
    ['metric train_acc', at % 3 === 1 ? ['0.5', String((at % 4) / 10)] : []],
  ];
  return new Map(
    all.flatMap(([key, values]) => {
      const there = values.filter((value) => value !== undefined);
      return there.length === 0 ? [] : [[key, there] as const];
    }),
  );
};

const places = ['home', 'home', 'linked', 'home', 'moved', 'elsewhere', 'deleted'] as const;

const addRun = async (storage: Storage, project: Project, at: number): Promise<Known> => {
  const { stores } = storage;
  const place = places[at % places.length] ?? 'home';
  const elsewhere =
    place === 'home' || place === 'deleted'
      ? project
      : await addProject(storage, { workspaceId: project.workspaceId });
  const user = await addUser(storage);
  const run = await addExperiment(storage, {
    projectId: elsewhere.id,
    name: `run ${texts[(at * 5) % texts.length] ?? ''}`,
    createdAt: start + (at % 4) * 1000,
    userId: user.id,
  });
  const logged = loggedBy(at);
  for (const [key, values] of logged) {
    const [kind = '', name = ''] = key.split(' ');
    if (kind === 'metric')
      await stores.metrics.append({
        experimentId: run.id,
        points: values.map((text, step) => ({
          ...point({ text, step }),
          ...(name === 'train_acc' ? { name, context: 'train' } : { name }),
        })),
        receivedAt: 1,
      });
    else for (const value of values) await logValues(storage, run, kind as LoggedKind, name, value); // one of the keys above
  }
  if (at % 3 === 2) await logValues(storage, run, 'noted', 'codeSHA', `sha${at % 2}`);
  const end = start + 5000 + (at % 3) * 1000;
  await stores.experiments.update(run.id, {
    endTimeMillis: end,
    endSet: true,
    hasCrashed: at % 4 === 1,
    archived: at % 9 === 8,
    ...(at % 2 === 0 ? { fileName: `file ${at % 5}` } : {}),
  });
  if (place === 'linked') await stores.experiments.link(run.id, project.id);
  if (place === 'moved')
    await stores.experiments.move([run.id], {
      workspaceId: project.workspaceId,
      projectId: project.id,
    });
  if (place === 'deleted') await stores.experiments.markDeleted(run.id, start);
  const stored = (await stores.experiments.listByIds([run.id]))[0];
  return {
    run,
    logged,
    facts: {
      key: run.key,
      name: run.name,
      state: at % 4 === 1 ? 'crashed' : 'finished',
      start: start + (at % 4) * 1000,
      end,
      lastSeen: stored?.lastSeenAt ?? 0,
      duration: end - start - (at % 4) * 1000,
      user: user.name,
      archived: Number(at % 9 === 8),
      ...(at % 2 === 0 ? { fileName: `file ${at % 5}` } : {}),
      ...(at % 3 === 2 ? { codeSHA: `sha${at % 2}` } : {}),
      tags: [...(at % 3 === 0 ? ['red'] : []), ...(at % 4 === 0 ? ['blue'] : [])],
    },
  };
};

const fill = async (
  storage: Storage,
  project: Project,
  filled: readonly (typeof places)[number][] = places,
): Promise<readonly Known[]> => {
  const known: Known[] = [];
  for (let at = 0; at < texts.length * 3; at++) {
    const place = places[at % places.length] ?? 'home';
    if (!filled.includes(place)) continue;
    const added = await addRun(storage, project, at);
    if (place !== 'elsewhere' && place !== 'deleted') known.push(added);
  }
  return known;
};

/** What every store of tables of runs keeps to. */
export const runTableContract = (storage: () => Storage): void => {
  let project: Project;
  let known: readonly Known[];
  before(async function () {
    this.timeout(120_000);
    project = await addProject(storage());
    known = await fill(storage(), project);
  });
  const ask = (asked: Partial<RunQuery>) =>
    storage().stores.runTable.page({
      projectId: project.id,
      condition: everything,
      archived: false,
      sort: [],
      columns: [],
      limit: 1000,
      ...asked,
    });
  const there = (archived = false) =>
    known.filter(({ facts }) => facts['archived'] === Number(archived));
  const idsOf = (runs: readonly Known[]) => runs.map(({ run }) => run.id);

  it('gives every run of the project once, the newest first, where no order is asked for', async () => {
    const page = await ask({});

    expect(page.ids).to.deep.equal(idsOf(sorted(there(), [])));
    expect(page.keys).to.deep.equal(sorted(there(), []).map(({ run }) => run.key));
    expect(page).to.include({ total: there().length, next: undefined });
  });

  it('leaves out how many runs there are where that is not asked for', async () => {
    const page = await ask({ uncounted: true });

    expect([page.total, page.keys.length]).to.deep.equal([0, there().length]);
  });

  it('gives archived runs where they are asked for, and no others', async () => {
    const page = await ask({ archived: true });

    expect(page.ids).to.deep.equal(idsOf(sorted(there(true), [])));
    expect(page.total).to.equal(there(true).length);
  });

  for (const column of columns)
    for (const descending of [false, true])
      it(`sorts by the ${'value' in column ? `${column.value} ` : ''}${column.kind} ${column.name}, ${descending ? 'the highest' : 'the lowest'} first and runs without it last`, async () => {
        const sort = [{ column, descending }];

        expect((await ask({ sort })).ids).to.deep.equal(idsOf(sorted(there(), sort)));
      });

  it('gives the value of every run in every column', async () => {
    const page = await ask({ columns });

    const runs = sorted(there(), []);
    expect(page.columns.map(({ cells }) => cells)).to.deep.equal(
      columns.map((column) =>
        runs.map((run) => {
          const value = valueOf(run, column);
          return value === 12345678901234567890 ? '12345678901234567890' : value;
        }),
      ),
    );
  });

  it('walks through any order page by page without losing or repeating a run', async function () {
    this.timeout(120_000);
    const sorts = fc.array(
      fc.record({ column: fc.constantFrom(...columns), descending: fc.boolean() }),
      { maxLength: 3 },
    );
    await fc.assert(
      fc.asyncProperty(sorts, fc.constantFrom(1, 3, 7, 20), async (sort, limit) => {
        const wanted = idsOf(sorted(there(), sort));
        const found: string[] = [];
        let after: RunPosition | undefined;
        // One row a page is asked for at the beginning only, or it would take as many pages as there are runs.
        do {
          const page = await ask({
            sort,
            limit: found.length < 4 ? limit : 20,
            ...(after === undefined ? {} : { after }),
          });
          found.push(...page.ids);
          after = page.next;
        } while (after !== undefined);

        expect(found).to.deep.equal(wanted);
      }),
      { numRuns: 60 },
    );
  });

  it('sorts and counts only the runs that satisfy a condition', async () => {
    const condition: Condition = {
      type: 'comparison',
      subject: { kind: 'parameter', name: 'number' },
      operator: 'atLeast',
      operand: { type: 'number', number: 1 },
    };
    const sort = [{ column: columnOf('metric', 'loss', 'min'), descending: false }];
    const page = await ask({ condition, sort, limit: 5 });

    const wanted = sorted(
      there().filter((one) => Number(valueOf(one, columnOf('parameter', 'number')) ?? -1) >= 1),
      sort,
    );
    expect(wanted).to.have.length.above(5);
    expect(page.ids).to.deep.equal(idsOf(wanted.slice(0, 5)));
    expect(page.total).to.equal(wanted.length);
  });

  it('gives those that satisfy a condition page by page in any order, where all runs are at home', async function () {
    this.timeout(120_000);
    const { id: projectId, ...rest } = await addProject(storage());
    const all = (await fill(storage(), { id: projectId, ...rest }, ['home', 'deleted'])).filter(
      ({ facts }) => facts['archived'] === 0,
    );
    const numberAtLeast = (number: number) => ({
      condition: {
        type: 'comparison',
        subject: { kind: 'parameter', name: 'number' },
        operator: 'atLeast',
        operand: { type: 'number', number },
      } as Condition,
      holds: (one: Known) => Number(valueOf(one, columnOf('parameter', 'number')) ?? -1) >= number,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...columns),
        fc.boolean(),
        fc.constantFrom(0, 0.5, 1, 2, 2.5, 9),
        fc.constantFrom(1, 2, 3, 7, 20),
        async (column, descending, number, limit) => {
          const sort = [{ column, descending }];
          const { condition, holds } = numberAtLeast(number);
          const wanted = idsOf(sorted(all.filter(holds), sort));
          const found: string[] = [];
          let after: RunPosition | undefined;
          do {
            const page = await ask({
              ...{ projectId, condition, sort, limit },
              ...(after === undefined ? {} : { after }),
            });
            expect(page.total).to.equal(wanted.length);
            found.push(...page.ids);
            after = page.next;
          } while (after !== undefined);

          expect(found).to.deep.equal(wanted);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('gives of the runs that were found already those of the project, and their complement', async () => {
    const ids = idsOf(there()).filter((_, at) => at % 3 === 0);
    const sort = [{ column: columnOf('parameter', 'number'), descending: false }];
    const among: Condition = { type: 'among', ids: [...ids, freshId()] };

    const page = await ask({ condition: among, sort });
    const others = await ask({ condition: { type: 'not', of: among }, sort });
    const none = await ask({ condition: { type: 'among', ids: [] }, sort });

    const all = sorted(there(), sort);
    expect(page.ids).to.deep.equal(idsOf(all).filter((id) => ids.includes(id)));
    expect(page.total).to.equal(ids.length);
    expect(others.ids).to.deep.equal(idsOf(all).filter((id) => !ids.includes(id)));
    expect([none.ids, none.total]).to.deep.equal([[], 0]);
  });

  it('takes very many runs that were found already', async () => {
    const ids = [...idsOf(there()), ...Array.from({ length: 30_000 }, freshId)];

    const page = await ask({ condition: { type: 'among', ids } });

    expect(page.total).to.equal(there().length);
  });

  it('ends texts after 500 characters, and says how many end so, unless they are asked for whole', async () => {
    const own = await addProject(storage());
    for (const text of ['\u{1f600}'.repeat(501), '\u{1f600}'.repeat(500)])
      await logValues(
        storage(),
        await addExperiment(storage(), { projectId: own.id }),
        'parameter',
        'long',
        text,
      );
    const { columns: shown } = await ask({
      projectId: own.id,
      columns: [columnOf('parameter', 'long')],
    });

    expect(shown).to.deep.equal([
      { cells: ['\u{1f600}'.repeat(500), '\u{1f600}'.repeat(500)], cut: 1 },
    ]);
    const { columns: whole } = await ask({
      projectId: own.id,
      columns: [columnOf('parameter', 'long')],
      wholeTexts: true,
    });
    expect(whole).to.deep.equal([
      { cells: ['\u{1f600}'.repeat(500), '\u{1f600}'.repeat(501)], cut: 0 },
    ]);
  });

  /** Groups as they are counted run by run. */
  const groupsOf = (by: readonly RunColumn[], figured: readonly RunColumn[]) => {
    const found = new Map<string, { keys: readonly SortKey[]; runs: Known[] }>();
    for (const one of there()) {
      const keys = by.map((column) => sortKeyOf(one, column));
      const group = found.get(JSON.stringify(keys));
      if (group === undefined) found.set(JSON.stringify(keys), { keys, runs: [one] });
      else group.runs.push(one);
    }
    return [...found.values()]
      .sort((one, other) => {
        for (const [at, key] of one.keys.entries()) {
          const order = compareKeys(key, other.keys[at] ?? null, false);
          if (order !== 0) return order;
        }
        return 0;
      })
      .map(({ keys, runs }) => ({
        keys,
        runs: runs.length,
        figures: figured.map((column) => {
          const numbers = runs.flatMap((one) => {
            const key = sortKeyOf(one, column);
            return typeof key === 'number' ? [key] : [];
          });
          const mean = numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
          const squares = numbers.reduce((sum, one) => sum + (one - mean) ** 2, 0);
          return {
            n: numbers.length,
            mean: numbers.length === 0 ? undefined : mean,
            deviation: numbers.length < 2 ? undefined : Math.sqrt(squares / (numbers.length - 1)),
            min: numbers.length === 0 ? undefined : Math.min(...numbers),
            max: numbers.length === 0 ? undefined : Math.max(...numbers),
          };
        }),
      }));
  };
  const group = (asked: Partial<GroupQuery>) =>
    storage().stores.runTable.groups({
      projectId: project.id,
      condition: everything,
      archived: false,
      by: [],
      columns: [],
      limit: 1000,
      ...asked,
    });
  const rounded = (groups: readonly RunGroup[]) =>
    groups.map((one) => ({
      ...one,
      figures: one.figures.map((figure) => ({
        ...figure,
        mean: figure.mean?.toFixed(9),
        deviation: figure.deviation?.toFixed(9),
      })),
    }));
  const figured = [
    columnOf('metric', 'loss', 'min'),
    columnOf('parameter', 'number'),
    columnOf('metric', 'train_acc'),
  ];
  for (const by of [
    [columnOf('parameter', 'mixed')],
    [columnOf('parameter', 'text')],
    [columnOf('tag', 'red'), fact('state')],
    [columnOf('metric', 'loss', 'max')],
    [fact('fileName'), columnOf('parameter', 'nobody'), columnOf('other', 'mixed')],
  ])
    it(`puts every run into one group by ${by.map(({ kind, name }) => `${kind} ${name}`).join(' and ')}, with figures of its numbers`, async () => {
      const found = await group({ by, columns: figured });

      expect(rounded(found.groups)).to.deep.equal(rounded(groupsOf(by, figured)));
      expect(found.more).to.equal(false);
    });

  it('gives the first groups up to the limit, and says that others follow', async () => {
    const by = [columnOf('parameter', 'mixed')];
    const found = await group({ by, columns: figured, limit: 3 });

    expect(rounded(found.groups)).to.deep.equal(rounded(groupsOf(by, figured).slice(0, 3)));
    expect(found.more).to.equal(true);
  });

  it('tells no mean of numbers that are too large for one', async () => {
    const own = await addProject(storage());
    for (const text of ['1e300', '-1e300'])
      await logValues(
        storage(),
        await addExperiment(storage(), { projectId: own.id }),
        'parameter',
        'huge',
        text,
      );
    const { groups } = await group({
      projectId: own.id,
      by: [fact('state')],
      columns: [columnOf('parameter', 'huge')],
    });

    expect(groups.map(({ figures }) => figures[0])).to.deep.equal([
      { n: 2, mean: undefined, deviation: undefined, min: -1e300, max: 1e300 },
    ]);
  });

  const listed = (asked: Partial<ColumnQuery> = {}) =>
    storage().stores.runTable.columns({ projectId: project.id, limit: 100, ...asked });
  const kindOrder: readonly LoggedKind[] = ['metric', 'parameter', 'other', 'tag', 'environment'];

  it('lists what runs have values under, with the kind and the range of the values', async () => {
    const found = await listed();

    const names = new Map<string, Cell[]>();
    for (const one of known)
      for (const key of one.logged.keys()) {
        const [kind = '', ...name] = key.split(' ');
        const value = valueOf(one, columnOf(kind as LoggedKind, name.join(' '))); // one of the keys that were logged
        names.set(key, [...(names.get(key) ?? []), value]);
      }
    const wanted = [...names].map(([key, values]) => {
      const [kind = '', name = ''] = key.split(' ');
      const numbers = values.filter((value) => typeof value === 'number');
      return {
        kind: kind as LoggedKind, // as above
        name,
        type: numbers.length === 0 ? 'text' : numbers.length === values.length ? 'number' : 'mixed',
        runs: values.length,
        min: numbers.length === 0 ? undefined : Math.min(...numbers),
        max: numbers.length === 0 ? undefined : Math.max(...numbers),
      };
    });
    expect(found).to.deep.equal({
      columns: wanted.sort(
        (a, b) =>
          kindOrder.indexOf(a.kind) - kindOrder.indexOf(b.kind) || (a.name < b.name ? -1 : 1),
      ),
      more: false,
    });
  });

  it('lists the columns whose names hold a text in any case, and says where others follow', async () => {
    expect(
      (await listed({ part: 'MIX' })).columns.map(({ kind, name }) => [kind, name]),
    ).to.deep.equal([
      ['parameter', 'mixed'],
      ['other', 'mixed'],
    ]);
    expect((await listed({ part: 'm_x' })).columns).to.deep.equal([]);
    const cut = await listed({ limit: 2 });
    expect([cut.columns.length, cut.more]).to.deep.equal([2, true]);
  });

  it('lists names of every kind where there are more than the limit, all of the kinds with few', async () => {
    const own = await addProject(storage());
    const run = await addExperiment(storage(), { projectId: own.id });
    const names = (kind: string, count: number) =>
      Array.from({ length: count }, (_, at) => `${kind} ${at}`);
    for (const name of names('p', 9)) await logValues(storage(), run, 'parameter', name, '1');
    for (const name of names('o', 8)) await logValues(storage(), run, 'other', name, '1');
    await logValues(storage(), run, 'environment', 'os', 'linux');

    const { columns, more } = await listed({ projectId: own.id, limit: 8 });
    expect(columns.map(({ name }) => name)).to.deep.equal([
      ...names('p', 3),
      ...names('o', 4),
      'os',
    ]);
    expect(more).to.equal(true);
    expect((await listed({ projectId: own.id, limit: 18 })).more).to.equal(false);
  });

  it('lists no column that only a deleted run has', async () => {
    const own = await addProject(storage());
    const run = await addExperiment(storage(), { projectId: own.id });
    await logValues(storage(), run, 'parameter', 'gone', '1');
    await storage().stores.experiments.markDeleted(run.id, start);

    expect(await listed({ projectId: own.id })).to.deep.equal({ columns: [], more: false });
  });

  const valuesOf = (asked: Partial<ValueQuery>) =>
    storage().stores.runTable.values({
      projectId: project.id,
      condition: everything,
      archived: false,
      column: columnOf('parameter', 'mixed'),
      limit: 1000,
      ...asked,
    });
  for (const column of [
    columnOf('parameter', 'mixed'),
    columnOf('parameter', 'text'),
    columnOf('metric', 'train_acc'),
    fact('state'),
    fact('user'),
  ])
    it(`gives the values of the ${column.kind} ${column.name}, those of most runs first`, async () => {
      const wanted = groupsOf([column], [])
        .filter(({ keys }) => keys[0] !== null)
        .sort((one, other) => other.runs - one.runs)
        .map(({ keys, runs }) => ({ value: keys[0], runs }));

      expect(await valuesOf({ column })).to.deep.equal(wanted);
      expect(await valuesOf({ column, limit: 2 })).to.deep.equal(wanted.slice(0, 2));
    });

  it('gives the values that begin with a text, numbers by the text they print as', async () => {
    const all = await valuesOf({});
    for (const prefix of ['a', 'é', '1', '-', 'a ', '%'])
      expect(await valuesOf({ prefix })).to.deep.equal(
        all.filter(({ value }) => String(value).startsWith(prefix)),
      );
  });

  const contentsOf = (ids: readonly string[], limit = 1000) =>
    storage().stores.runTable.contents(ids, limit);

  it('gives everything that runs are compared by, of these runs alone', async () => {
    const { stores } = storage();
    const own = await addProject(storage());
    const [one, other, third] = [
      await addExperiment(storage(), { projectId: own.id }),
      await addExperiment(storage(), { projectId: own.id }),
      await addExperiment(storage(), { projectId: own.id }),
    ];
    for (const run of [one, other, third])
      for (const [kind, name, text] of [
        ['parameter', 'lr', '0.1'],
        ['parameter', 'long', `${'\u{1f600}'.repeat(500)}${run.id}`],
        ['other', 'lr', 'a '],
        ['environment', 'os', 'linux'],
        ['noted', 'installed_packages', 'a==1\nb==2'],
      ] as const)
        await logValues(storage(), run, kind, name, text);
    for (const [run, content] of [
      [one, 'x'.repeat(3 * 1024 * 1024)],
      [other, 'x'.repeat(3 * 1024 * 1024)],
      [third, 'y'],
    ] as const)
      await stores.texts.replace({ experimentId: run.id, kind: 'code', content });
    await stores.texts.replace({ experimentId: one.id, kind: 'patch', content: 'é' });

    const { contents, packages } = await contentsOf([one.id, other.id]);
    const of = (runId: string, kind: string, name: string) =>
      contents.find((held) => held.runId === runId && held.kind === kind && held.name === name);
    for (const run of [one, other])
      expect([
        of(run.id, 'parameter', 'lr')?.text,
        of(run.id, 'parameter', 'long')?.text,
        of(run.id, 'other', 'lr')?.text,
        of(run.id, 'environment', 'os')?.text,
        of(run.id, 'code', '')?.bytes,
        packages.get(run.id),
      ]).to.deep.equal([
        '0.1',
        '\u{1f600}'.repeat(500),
        'a ',
        'linux',
        3 * 1024 * 1024,
        'a==1\nb==2',
      ]);
    expect([contents.length, packages.size, of(one.id, 'patch', '')?.bytes]).to.deep.equal([
      11, 2, 2,
    ]);
    expect(of(one.id, 'parameter', 'long')?.digest).to.not.equal(
      of(other.id, 'parameter', 'long')?.digest,
    );
    expect(of(one.id, 'code', '')?.digest).to.equal(of(other.id, 'code', '')?.digest);
    const { contents: apart } = await contentsOf([third.id]);
    expect(apart.find(({ kind }) => kind === 'code')?.digest).to.not.equal(
      of(one.id, 'code', '')?.digest,
    );
  });

  it('refuses to give more than the limit', async () => {
    const own = await addProject(storage());
    const run = await addExperiment(storage(), { projectId: own.id });
    for (const name of ['a', 'b', 'c']) await logValues(storage(), run, 'parameter', name, '1');

    expect((await contentsOf([run.id], 3)).contents).to.have.length(3);
    expect(await rejection(contentsOf([run.id], 2))).to.include({
      kind: 'invalid',
      message: 'these runs hold more than 2 values and files together; compare fewer runs',
    });
    expect((await contentsOf([])).contents).to.deep.equal([]);
  });
};
