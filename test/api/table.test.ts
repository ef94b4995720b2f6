import { expect } from 'chai';
import { compiles } from '#adapters/http/input';
import { schemasOf } from '#config/schemas';
import { checkWorkspaceName, reservedNames } from '#core/workspaces/rules';
import { subjectsOf } from '#ports/api/operation';
import { anonymousOperations, claimPages } from '#plugins/anonymous-mode/rows';
import { allFixtures } from './all-fixtures.js';
import { fixedRows, rowFixture } from './fixtures.js';
import { allAreas, fieldsOf, isRestricted, pathsOf, placesOf, rows } from './rows.js';

const told = fixedRows(allFixtures);
/** The rows of which the areas give that reason. */
const withReason = (reason: 'open' | 'aboutCaller'): readonly string[] =>
  told.filter(([, row]) => row[reason] !== undefined).map(([id]) => id);
/** Fields that look like an id of ours and are none, or are the client's to choose. */
const notOurs: Readonly<Record<string, string>> = Object.fromEntries(
  told.flatMap(([id, row]) =>
    Object.entries(row.notOurs ?? {}).map(([place, reason]) => [`${id} ${place}`, reason]),
  ),
);
const namesOurs =
  /(^|\.)((new|previous|copied|targeted|target)?(exp?eriment|project|workspace|team|asset|image|request|upload|artifact|artifactVersion|model|registryModel|modelItem|registryModelItem|experimentModel|row)(_?(Key|Id|key|id)s?|Name)|targetedExperiments|previousExperiment|copiedExperimentKey|experiment_key)$/i;
const isOwnName = (id: string, place: string): boolean =>
  rowFixture(allFixtures, id).ownNames?.includes(place) === true;

describe('the table of operations', () => {
  it('serves a path once for each method', () => {
    const served = rows.flatMap((row) =>
      pathsOf(row.operation).map(
        (path) => `${row.operation.method} ${path.replaceAll(/\{\w+\}/g, '{}')}`,
      ),
    );

    expect(served.filter((one, i) => served.indexOf(one) !== i)).to.deep.equal([]);
  });

  it('lets no workspace have the first part of an address of its own', () => {
    const firsts = new Set(
      rows.flatMap(({ operation }) => pathsOf(operation).map((path) => path.split('/')[1] ?? '')),
    );

    expect(
      [...firsts].filter((part) => !/^\{|^$/.test(part) && !reservedNames.has(part)),
    ).to.deep.equal([]);
    expect(() => checkWorkspaceName('Login')).to.throw(/pages of the server have that address/);
  });

  it('names each operation once', () => {
    const ids = rows.map((row) => row.id);

    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).to.deep.equal([]);
  });

  it('leaves a row open only where its area says why, and says so of none that is not open', () => {
    const ids = new Set(rows.map(({ id }) => id));

    expect(
      rows
        .filter(({ operation }) => !isRestricted(operation))
        .map(({ id }) => id)
        .sort(),
    ).to.deep.equal(
      withReason('open')
        .filter((id) => ids.has(id))
        .sort(),
    );
  });

  it('has an area for each row that the fixtures speak of, and fixtures for each area', () => {
    const ofPlugins = Object.keys({ ...anonymousOperations, ...claimPages });
    const areaOf = new Map(rows.map(({ id, area }) => [id, area]));
    const strays = allFixtures.flatMap((fixtures) =>
      fixedRows([fixtures])
        .map(([id]) => id)
        .filter((id) => !ofPlugins.includes(id) && !fixtures.areas.includes(areaOf.get(id) ?? '')),
    );

    expect(strays).to.deep.equal([]);
    expect(allFixtures.flatMap(({ areas }) => areas).sort()).to.deep.equal(
      allAreas.map(({ name }) => name).sort(),
    );
  });

  it('says of every row whose thing it is about', () => {
    const nobodys = rows
      .filter(({ operation }) => isRestricted(operation) && subjectsOf(operation).length === 0)
      .map(({ id }) => id);

    expect(nobodys.sort()).to.deep.equal([...withReason('aboutCaller')].sort());
  });

  for (const { id, operation } of rows.filter((row) => isRestricted(row.operation))) {
    it(`${id} has a subject for every id it takes`, () => {
      const places = new Set(subjectsOf(operation).flatMap(placesOf));
      const loose = fieldsOf(operation)
        .filter(
          (place) =>
            namesOurs.test(place) &&
            !places.has(place) &&
            !places.has(place.replace(/\.\*$/, '')) &&
            !isOwnName(id, place),
        )
        .filter((place) => notOurs[`${id} ${place}`] === undefined);

      expect(loose).to.deep.equal([]);
    });
  }

  it('lists no exception for a field that is gone or has a subject', () => {
    const taken = new Set(
      rows.flatMap(({ id, operation }) => fieldsOf(operation).map((place) => `${id} ${place}`)),
    );
    const subjects = new Set(
      rows.flatMap(({ id, operation }) =>
        subjectsOf(operation)
          .flatMap(placesOf)
          .map((place) => `${id} ${place}`),
      ),
    );

    expect(
      Object.keys(notOurs).filter((name) => !taken.has(name) || subjects.has(name)),
    ).to.deep.equal([]);
  });

  it('names subjects only in fields that the row reads', () => {
    const unread = rows.flatMap(({ id, operation }) =>
      subjectsOf(operation)
        .flatMap(placesOf)
        .filter(
          (place) =>
            !place.startsWith('part.') &&
            !place.startsWith('header.') &&
            !place.includes('*') &&
            !fieldsOf(operation).includes(place),
        )
        .map((place) => `${id} ${place}`),
    );

    expect(unread).to.deep.equal([]);
  });

  it('has schemas that compile', () => {
    for (const { id, operation } of rows)
      for (const schema of schemasOf({ [id]: operation }))
        expect(() => {
          compiles(schema);
        }, id).not.to.throw();
  });

  it('says in one line what each row does, and what it answers', () => {
    for (const { id, operation } of rows) {
      expect(operation.summary, id).to.match(/^[A-Z].{2,}[^.]$/);
      expect(Object.keys(operation.replies), id).to.not.deep.equal([]);
    }
  });

  it('has a schema for each name in a path, and a path for each name in its schema', () => {
    for (const { id, operation } of rows) {
      const inPaths = new Set(
        pathsOf(operation).flatMap((path) =>
          [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
        ),
      );
      expect([...inPaths].sort(), id).to.deep.equal(
        fieldsOf(operation)
          .filter((place) => place.startsWith('params.'))
          .map((place) => place.slice(7))
          .sort(),
      );
    }
  });
});
