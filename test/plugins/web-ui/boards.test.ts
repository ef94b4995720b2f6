// What boards and the page of SQL work out without a browser.
import { expect } from 'chai';
import fc from 'fast-check';
import { tableColumns } from '#adapters/analytics/duckdb/tables';
import {
  addWidget,
  editWidget,
  emptyBoard,
  freePlace,
  gridColumns,
  movedTo,
  packed,
  placesOf,
  placeWidget,
  readBoard,
  removeWidget,
  resized,
  stamped,
  stepped,
  type Placed,
} from '#plugins/web-ui/pure/boards';
import {
  addSection,
  emptySection,
  moveSection,
  moveToSection,
  removeSection,
  renameSection,
  storedSection,
} from '#plugins/web-ui/pure/board-sections';
import { pathOf, readPlace } from '#plugins/web-ui/pure/address';
import {
  cellText,
  chartOfTable,
  completed,
  completionsFor,
  csvOfTable,
  jsonOfTable,
  namesTime,
  sqlTables,
  tableOf,
  unwrapped,
  withTime,
  wordBefore,
  wrapped,
} from '#plugins/web-ui/pure/sql';

const box = (id: string, x: number, y: number, w = 2, h = 4): Placed => ({ id, x, y, w, h });
const at = (all: readonly Placed[], id: string) => {
  const { x, y, w, h } = all.find((one) => one.id === id) ?? box('', -1, -1);
  return [x, y, w, h];
};
const touch = (a: Placed, b: Placed): boolean =>
  a.id !== b.id && a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

const someBoxes = fc
  .array(
    fc.record({
      x: fc.nat(5),
      y: fc.nat(30),
      w: fc.integer({ min: 1, max: 6 }),
      h: fc.integer({ min: 1, max: 8 }),
    }),
    { maxLength: 12 },
  )
  .map((all) =>
    all.map((one, place): Placed => ({
      ...one,
      id: String(place),
      x: Math.min(one.x, gridColumns - one.w),
    })),
  );

describe('widgets on a grid', () => {
  it('never lie on each other, nor leave room above them, wherever one is moved', () => {
    fc.assert(
      fc.property(someBoxes, fc.nat(6), fc.nat(40), (all, x, y) => {
        const moved = movedTo(all, '0', { x, y });
        expect(moved).to.have.length(all.length);
        for (const one of moved) {
          expect(moved.some((other) => touch(one, other))).to.equal(false);
          expect(one.x + one.w).to.be.at.most(gridColumns);
          const above = { ...one, y: one.y - 1 };
          expect(one.y === 0 || moved.some((other) => touch(above, other))).to.equal(true);
        }
        expect(packed(moved)).to.have.deep.members([...moved]);
      }),
    );
  });

  it('step past what stands above or below, and change places with a neighbour of their size', () => {
    const all = [box('a', 0, 0), box('b', 2, 0), box('c', 0, 4), box('d', 0, 8)];
    expect(at(stepped(all, 'a', 'down'), 'a')).to.deep.equal([0, 4, 2, 4]);
    expect(at(stepped(all, 'a', 'down'), 'c')).to.deep.equal([0, 0, 2, 4]);
    expect(at(stepped(all, 'd', 'up'), 'd')).to.deep.equal([0, 4, 2, 4]);
    expect(at(stepped(all, 'a', 'right'), 'b')).to.deep.equal([0, 0, 2, 4]);
    expect(at(stepped(all, 'b', 'right'), 'b')).to.deep.equal([3, 0, 2, 4]);
    for (const [id, direction] of [
      ['a', 'left'],
      ['a', 'up'],
      ['d', 'down'],
      ['nobody', 'up'],
    ] as const)
      expect(stepped(all, id, direction)).to.deep.equal(all);
  });

  it('grow as far as the grid goes, and stay within it', () => {
    const all = [box('a', 4, 0), box('b', 0, 0)];
    expect(at(resized(all, 'a', { w: 1 }), 'a')).to.deep.equal([3, 0, 3, 4]);
    expect(at(resized(all, 'a', { w: 9, h: 99 }), 'a')).to.deep.equal([0, 0, 6, 12]);
    expect(at(resized(all, 'a', { w: -9, h: -9 }), 'a')).to.deep.equal([4, 0, 1, 1]);
  });

  it('get the first place that is free', () => {
    expect(freePlace([], 3, 4)).to.deep.equal({ x: 0, y: 0, w: 3, h: 4 });
    expect(freePlace([box('a', 0, 0, 3, 4)], 3, 4)).to.deep.equal({ x: 3, y: 0, w: 3, h: 4 });
    expect(freePlace([box('a', 0, 0, 4, 4)], 3, 1)).to.deep.equal({ x: 0, y: 4, w: 3, h: 1 });
  });
});

describe('boards', () => {
  const draft = (title: string) => ({ type: 'text_markdown', title, config: { content: title } });
  const first = (config: unknown) => readBoard(config)[0] ?? { id: '', title: '', widgets: [] };

  it('take a widget, change it, move it and lose it, and keep what is not known here', () => {
    const empty = { ...emptyBoard('s', 1), colour: 'blue' };
    const two = addWidget('b', draft('B'))(addWidget('a', draft('A'))(empty));
    expect(first(two).widgets.map(({ id, title }) => [id, title])).to.deep.equal([
      ['a', 'A'],
      ['b', 'B'],
    ]);
    const moved = placeWidget('b', (all) => movedTo(all, 'b', { x: 4, y: 0 }))(two);
    expect(at(placesOf(first(moved)), 'b')).to.deep.equal([4, 0, 2, 4]);
    const edited = editWidget('a', { ...draft('AA'), config: { more: 1 } })(moved);
    expect(first(edited).widgets[0]?.config).to.deep.equal({ content: 'A', more: 1 });
    const less = removeWidget('a')(edited);
    expect(first(less).widgets.map(({ id }) => id)).to.deep.equal(['b']);
    expect(less).to.deep.include({ colour: 'blue', version: 4 });
    expect(stamped(removeWidget('b'), 7)(less)).to.deep.include({ lastModified: 7 });
    expect(removeWidget('nobody')(less)).to.deep.equal(less);
  });

  it('take a widget where there is no section yet, and into the one that is named', () => {
    expect(first(addWidget('a', draft('A'))({})).widgets).to.have.length(1);
    const sections = [
      { id: 'x', title: '', widgets: [], layout: [] },
      { id: 'y', title: '', widgets: [], layout: [] },
    ];
    const into = addWidget('a', draft('A'), { x: 1, y: 0, w: 2, h: 2 }, 'y')({ sections });
    expect(readBoard(into).map(({ widgets }) => widgets.length)).to.deep.equal([0, 1]);
  });

  it('have sections, which are added, named, put in order and taken away, and hand widgets to each other', () => {
    const one = addWidget('a', draft('A'))({ ...emptyBoard('s', 1), colour: 'blue' });
    const two = addSection(emptySection('t', 'Costs'))(addWidget('b', draft('B'))(one));
    const titles = (config: Readonly<Record<string, unknown>>) =>
      readBoard(config).map(({ title, widgets }) => [title, ...widgets.map(({ id }) => id)]);
    expect(titles(two)).to.deep.equal([['Overview', 'a', 'b'], ['Costs']]);
    const moved = moveToSection(
      'a',
      't',
    )(placeWidget('b', (all) => movedTo(all, 'b', { x: 0, y: 4 }))(two));
    expect(titles(moved)).to.deep.equal([
      ['Overview', 'b'],
      ['Costs', 'a'],
    ]);
    expect(
      readBoard(moved).map((each) => at(placesOf(each), each.widgets[0]?.id ?? '')),
    ).to.deep.equal([
      [0, 0, 2, 4],
      [0, 0, 2, 4],
    ]);
    const turned = moveSection('t', -1)(renameSection('t', 'Money')(moved));
    expect(titles(turned)).to.deep.equal([
      ['Money', 'a'],
      ['Overview', 'b'],
    ]);
    expect(titles(moveSection('t', -1)(turned))).to.deep.equal(titles(turned));
    expect(titles(moveSection('t', 9)(turned))).to.deep.equal(
      titles(renameSection('t', 'Money')(moved)),
    );
    const kept = storedSection(turned, 't');
    const less = removeSection('t')(turned);
    expect(titles(less)).to.deep.equal([['Overview', 'b']]);
    expect(less).to.deep.include({ colour: 'blue', version: 4 });
    expect(addSection(kept?.section ?? {}, kept?.at)(less)).to.deep.equal(turned);
    for (const change of [
      removeSection('x'),
      renameSection('x', 'y'),
      moveSection('x', 1),
      moveToSection('b', 'x'),
    ])
      expect(titles(change(less))).to.deep.equal(titles(less));
  });

  it('are read whatever somebody wrote there', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        for (const config of [
          JSON.parse(json),
          { sections: JSON.parse(json) },
          { sections: [JSON.parse(json)] },
        ] as unknown[])
          for (const { widgets } of readBoard(config))
            for (const { box: one } of widgets) expect(one.x + one.w).to.be.at.most(gridColumns);
      }),
    );
    const odd = {
      sections: [
        {
          widgets: [null, { id: 'a' }, { id: 'b', type: 'c', generatedTitle: 'made' }],
          layout: [{ i: 'b', x: 99, y: -3, w: 99, h: 'tall' }],
        },
      ],
    };
    expect(first(odd).widgets).to.deep.equal([
      { id: 'b', type: 'c', title: 'made', config: {}, box: { x: 0, y: 0, w: 6, h: 4 } },
    ]);
  });

  it('have addresses', () => {
    for (const place of [
      { screen: 'boards', workspace: 'w' },
      { screen: 'sql', workspace: 'w' },
    ] as const)
      expect(readPlace(pathOf('w', 'w', place.screen))).to.deep.equal(place);
    expect(readPlace(pathOf('w', 'w', 'boards', '1'))).to.deep.equal({
      ...{ screen: 'board', workspace: 'w', id: '1' },
    });
    expect(readPlace(pathOf('w', 'w', 'p', 'a/b', 'insights'))).to.deep.equal({
      ...{ screen: 'insights', workspace: 'w', project: 'a/b' },
    });
  });
});

describe('statements', () => {
  it('are completed by the columns that the engine has', () => {
    // Of scores, those who gave them are in the other table: this one has one row for all of them.
    const columns = Object.entries(tableColumns).map(([table, all]) => [
      table,
      all
        .map(({ name }) => name)
        .filter((name) => table !== 'feedback_scores' || name !== 'author')
        .sort(),
    ]);
    expect(Object.entries(sqlTables).map(([table, all]) => [table, [...all].sort()])).to.deep.equal(
      columns,
    );
  });

  it('are completed by columns of the tables that they name first', () => {
    const text = 'select tr from spans';
    const found = completionsFor(text, 9);
    expect(found[0]).to.deep.equal({ text: 'truncated_input', says: 'spans' });
    expect(found.map((one) => one.text)).to.include.members(['trace_id', 'traces']);
    expect(completionsFor('select ', 7)).to.deep.equal([]);
    expect(completionsFor('select x.na', 11)[0]?.text).to.equal('name');
    expect(wordBefore('a 12', 4)).to.equal('');
    expect(completed('select t.na from traces t', 11, 'name')).to.deep.equal({
      text: 'select t.name from traces t',
      at: 13,
    });
  });

  it('are wrapped so that a row is one value, and unwrapped again', () => {
    const statement = 'select 1 as a -- one';
    expect(wrapped(` ${statement} ; ;\n`)).to.equal(
      `SELECT to_json(found) AS result FROM (\n${statement}\n) AS found`,
    );
    expect(unwrapped(wrapped(statement))).to.equal(statement);
    expect(unwrapped('select 2')).to.equal('select 2');
  });

  it('get the time in the place of its marks', () => {
    expect(namesTime('select 1')).to.equal(false);
    const text = 'x between {{window_start}} and {{window_end}}';
    expect(namesTime(text)).to.equal(true);
    expect(withTime(text, 0, 1500)).to.equal(
      "x between TIMESTAMP '1970-01-01 00:00:00.000' and TIMESTAMP '1970-01-01 00:00:01.500'",
    );
  });
});

describe('results of statements', () => {
  it('are tables of what their rows have, in JSON and CSV', () => {
    const table = tableOf([{ a: 1, b: 'x, "y"' }, { b: null, c: [1] }, 5, { result: '{"a":2}' }]);
    expect(table).to.deep.equal({
      columns: ['a', 'b', 'c', 'result'],
      rows: [
        [1, 'x, "y"', null, null],
        [null, null, [1], null],
        [null, null, null, 5],
        [2, null, null, null],
      ],
    });
    expect(csvOfTable(table).split('\n').slice(0, 3)).to.deep.equal([
      'a,b,c,result',
      '1,"x, ""y""",,',
      ',,[1],',
    ]);
    expect(JSON.parse(jsonOfTable(table))).to.have.length(4);
    expect(tableOf([{ result: 'plain' }]).rows).to.deep.equal([['plain']]);
    expect([null, { a: 1 }, 2].map(cellText)).to.deep.equal(['–', '{"a":1}', '2']);
  });

  it('are charts where they hold numbers: over times in order, over numbers, or row by row', () => {
    const over = (rows: readonly object[]) => chartOfTable(tableOf(rows));
    expect(
      over([
        { day: '2026-11-02 00:00:00', n: 2, says: 'a' },
        { day: '2026-11-01', n: null, says: 'b' },
      ]),
    ).to.deep.equal({
      x: [Date.UTC(2026, 10, 1), Date.UTC(2026, 10, 2)],
      labels: ['2026-11-01', '2026-11-02 00:00:00'],
      times: true,
      lines: [{ name: 'n', y: [null, 2] }],
    });
    expect(over([{ ts: '2026-11-25 07:45:20.6+00', n: 1 }])?.x).to.deep.equal([
      Date.UTC(2026, 10, 25, 7, 45, 20, 600),
    ]);
    expect(over([{ name: 'a', n: 4 }])).to.deep.include({ x: [0], labels: ['a'], times: false });
    expect(over([{ n: 4 }, { n: 5 }])).to.deep.include({ x: [0, 1] });
    expect(over([{ name: 'a', says: 'b' }])).to.equal(undefined);
    expect(over([])).to.equal(undefined);
  });
});
