// What the gate says to somebody who asks a row, held against the table of what each role may do.
import { systemClock } from '#adapters/system/clock';
import { pluginTables } from '#adapters/storage/sql/plugin-tables';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import { createGate } from '#core/gate';
import { gatherKinds } from '#core/kinds';
import { monitoringAreas } from '#plugins/monitoring/areas';
import { tables, type MonitoringNeeds } from '#plugins/monitoring/needs';
import type { Area } from '#ports/api/area';
import type { Gate, Named } from '#ports/api/gate';
import { subjectsOf } from '#ports/api/operation';
import { verdictOn, type Verdict } from '#ports/api/reach';
import type { CatalogueRow } from '#ports/catalogue';
import { Clock } from '#ports/clock';
import { isFailure } from '#ports/failure';
import type { Caller } from '#ports/model/identity';
import { ExperimentFinder } from '#ports/storage/experiments';
import { PlaceFinder } from '#ports/storage/workspaces';
import type { Port } from '#ports/port';
import { narrowStorage, storesNamedBy, type Storage } from '#ports/storage/storage';
import type { Asker, Battery } from './askers.js';
import { inputFor } from './building.js';
import { kindFixture, type World } from './fixtures.js';
import { isRestricted, placesOf } from './rows.js';

/** These areas, where those of the plugin that has kinds read its tables. */
const withTables = (storage: Storage, areas: readonly Area[]): readonly Area[] => {
  const { connection } = storage as SqlStorage; // as the battery opens it
  const own = { tables: pluginTables(connection, 'monitoring', tables) };
  const reading = monitoringAreas(own as MonitoringNeeds); // its kinds need no more
  return areas.map((area) => reading.find(({ name }) => name === area.name) ?? area);
};

/** The gate over the kinds of these areas. */
export const gateOver = (storage: Storage, areas: readonly Area[]): Gate => {
  const ports = new Map<symbol, unknown>([
    [ExperimentFinder, storage.stores.experiments],
    [
      PlaceFinder,
      {
        findWorkspace: storage.stores.workspaces.findByName,
        findWorkspaceById: storage.stores.workspaces.findById,
        findProject: storage.stores.projects.findByName,
      },
    ],
    [Clock, systemClock],
  ]);
  const resolve = (port: Port<unknown>): unknown => {
    const stores = storesNamedBy(port);
    return stores === undefined ? ports.get(port) : narrowStorage(storage, stores);
  };
  const kinds = new Map(
    gatherKinds(withTables(storage, areas)).map(({ kind, parents, needs, rules }) => {
      const met = Object.entries(needs).map(([name, port]) => [name, resolve(port)]);
      return [kind.name, { parents, rules: rules(Object.fromEntries(met) as never) }]; // the kind's own needs
    }),
  );
  return createGate(() => kinds);
};

/** What a row is asked, in the form in which things are named. */
export const namedIn = (row: CatalogueRow, home: World): Named => {
  const input = inputFor(row.id, row.operation, home.copy());
  return {
    query: input.query ?? {},
    params: input.params ?? {},
    body: input.body,
    part: { requestParams: input.lead },
    header: input.headers ?? {},
  };
};

/** What the gate says to a caller who asks a row about a world. */
export const verdictOf = async (
  gate: Gate,
  row: CatalogueRow,
  home: World,
  caller: Caller,
): Promise<Verdict> => {
  try {
    await gate.admit(row.operation, subjectsOf(row.operation), namedIn(row, home), caller, {});
    return 'allowed';
  } catch (thrown) {
    if (isFailure(thrown) && thrown.kind === 'absent') return 'unknown';
    if (isFailure(thrown) && thrown.kind === 'forbidden') return 'refused';
    throw thrown;
  }
};

const isOwnersAlone = (row: CatalogueRow, { fixtures }: World): boolean =>
  row.operation.access.needs === 'caller' &&
  subjectsOf(row.operation).some(
    (subject) => 'one' in subject && kindFixture(fixtures, subject.one).ownersAlone,
  );
const isPerItem = (row: CatalogueRow): boolean =>
  subjectsOf(row.operation).some(
    (subject) => 'each' in subject && subject.skipInaccessible === true,
  );
const namesNothing = (row: CatalogueRow): boolean =>
  subjectsOf(row.operation).length > 0 && subjectsOf(row.operation).flatMap(placesOf).length === 0;
const isOnlySession = ({ operation: { access } }: CatalogueRow): boolean =>
  access.by?.includes('key') === false;

const takesNoSession = ({ operation: { access } }: CatalogueRow): boolean =>
  access.by?.includes('session') === false;

/** What the table of roles says of a row, of this asker. */
const expectedOf = (
  row: CatalogueRow,
  { standing, narrowing }: Asker,
  asks: Caller,
  { isOwner, home }: { readonly isOwner: boolean; readonly home: World },
): Verdict => {
  const atHome =
    asks.defaultWorkspaceId !== undefined &&
    (asks.everywhere || asks.roles.has(asks.defaultWorkspaceId))
      ? 'admin'
      : 'stranger';
  // A row that can name nothing is about the caller's own workspace, where he stands as he may.
  const stated =
    (isOnlySession(row) && asks.via !== 'session') ||
    (takesNoSession(row) && asks.via === 'session')
      ? 'refused'
      : verdictOn(row.operation, namesNothing(row) ? atHome : standing, narrowing);
  // What is its owner's alone is so whatever the role; items that are refused one by one refuse no request.
  if (stated === 'allowed' && isOwnersAlone(row, home) && !isOwner) return 'unknown';
  const namesWorkspace = subjectsOf(row.operation).some(
    (subject) => 'one' in subject && subject.one.name === 'workspace',
  );
  return stated !== 'allowed' && isPerItem(row) && !namesWorkspace && narrowing?.readsOnly !== true
    ? 'allowed'
    : stated;
};

/** The rows that do not answer an asker as the table of roles says, each with what happened. */
export const straysOf = async (
  rows: readonly CatalogueRow[],
  gate: Gate,
  battery: Battery,
  [who, asker]: readonly [string, Asker],
): Promise<readonly string[]> => {
  const asks = await asker.caller(battery);
  const strays: string[] = [];
  for (const row of rows.filter(({ operation }) => isRestricted(operation))) {
    const expected = expectedOf(row, asker, asks, {
      isOwner: who === 'workspace administrator',
      home: battery.home,
    });
    const verdict = await verdictOf(gate, row, battery.home, asks);
    if (verdict !== expected) strays.push(`${row.id}: ${verdict} instead of ${expected}`);
  }
  return strays;
};
