// Builds the whole server: adapters outside, areas inside, and the application over them. After this nobody holds the container.
import type Koa from 'koa';
import { serviceArea, swaggerArea, versionArea } from '#adapters/http/service';
import { areas, oauthAreas } from '#core/areas';
import { anonymousOffArea } from '#core/identity/anonymous-off';
import { printedLinksArea } from '#core/redirects/printed-links';
import { weblinksArea } from '#core/weblinks/weblinks';
import type { Area } from '#ports/api/area';
import { Auth } from '#ports/auth';
import type { CatalogueRow } from '#ports/catalogue';
import type { Clock } from '#ports/clock';
import type { Ids } from '#ports/ids';
import type { Job } from '#ports/jobs';
import type { Log } from '#ports/log';
import { Operations } from '#ports/operations';
import { Readiness } from '#ports/readiness';
import type { Settings } from '#ports/settings';
import type { Storage } from '#ports/storage/storage';
import { applicationOf } from './application.js';
import { kindsOf, routesOf } from './area-routes.js';
import { beatsOf, jobsOf, type Beat } from './background.js';
import { bindPorts, type Assembly, type Bound } from './bind-ports.js';
import { resolveNeeds } from './bind.js';
import { explainFolder, probeFolder } from './data-folder.js';
import { driversOf, type OpenedStorage } from './drivers.js';
import { meterInstallation, meterProcess } from './figures.js';
import { requireSchema } from './first-start.js';
import { joinPlugins, requireKnownNames } from './joining.js';
import { nothingYet, type Late } from './late.js';
import type { Loaded } from './load.js';
import { switchedOn, systemParts } from './opening.js';
import type { Begun } from './own-drivers.js';
import { importPlugins, type ImportedPlugin } from './plugins.js';
import type { SettingValues } from './settings.js';
import { stopAll, type Stop } from './stopping.js';
import { requireStorage } from './storage-faults.js';

export interface Composed {
  readonly app: Koa;
  readonly opened: OpenedStorage;
  readonly storage: Storage;
  readonly auth: Auth;
  readonly log: Log;
  readonly settings: Settings;
  readonly readiness: Readiness;
  readonly rows: readonly CatalogueRow[];
  /** Every row, in process. */
  readonly operations: Operations;
  readonly jobs: readonly Job[];
  /** What this process does now and then for itself. */
  readonly beats: readonly Beat[];
  /** Ends what clients listen to for as long as they like. */
  endListening(): void;
  /** Says that this process no longer serves. */
  leaveProcesses(): Promise<void>;
  /** Ends what plugins and drivers began, the last one first. */
  stop(): Promise<void>;
  readonly ids: Ids;
}

export interface ComposeOptions {
  readonly loaded: Loaded;
  readonly baseUrl: string;
  /** Whether this process starts and owns the embedded database. */
  readonly owns: boolean;
  readonly storage?: OpenedStorage;
  /** The embedded database where its start was begun before. */
  readonly begun?: Begun;
  /** Standard error when left out. */
  readonly log?: Log | undefined;
  /** That of the system when left out. */
  readonly clock?: Clock | undefined;
}

/** Puts everything together; nothing listens yet. */
export const compose = async ({
  loaded,
  baseUrl,
  owns,
  storage,
  begun,
  log,
  clock,
}: ComposeOptions): Promise<Composed> => {
  const { values } = loaded;
  const parts = systemParts(values, log, clock);
  const imported = await importPlugins(loaded, parts.log);
  if (
    storage === undefined &&
    (values.ORRERY_STORAGE === 'embedded' || values.ORRERY_BLOB === 'filesystem')
  )
    await probeFolder(values);
  const drivers = driversOf({ values, imported: switchedOn(loaded, imported), parts, begun });
  const opened =
    storage ??
    (await drivers.openStorage(owns).catch((thrown: unknown) => {
      throw explainFolder(values, thrown);
    }));
  const stops: Stop[] = [];
  try {
    await requireStorage(opened, values);
    await requireSchema(opened, values);
    return await assemble({ loaded, baseUrl, parts, opened, imported, drivers, stops });
  } catch (thrown) {
    await stopAll(stops, parts.log);
    await opened.storage.close();
    await opened.stop();
    throw explainFolder(values, thrown);
  }
};

/** The plugins whose toggle is on by now, at run time too. */
const takingPart = (
  { imported, parts: { log } }: Assembly,
  { toggles }: Bound,
): readonly ImportedPlugin[] =>
  imported.filter(({ plugin: { name, toggle } }) => {
    const takesPart = toggle === undefined || toggles.isOn(toggle.name);
    if (!takesPart)
      log.info('a plugin is switched off by its toggle', { plugin: name, toggle: toggle.name });
    return takesPart;
  });

/** Their paths begin with a name of any kind; the narrower come first. */
const linkAreas: readonly Area[] = [printedLinksArea, weblinksArea];

const firstAreas = (values: SettingValues): readonly Area[] => [
  ...areas.filter(
    (one) =>
      !linkAreas.includes(one) && (values.ORRERY_OAUTH === 'on' || !oauthAreas.includes(one)),
  ),
  versionArea,
  serviceArea,
  ...(values.SWAGGER_ENABLED ? [swaggerArea] : []),
];

/** Links come after everything, plugins too: their paths are the widest. */
const lastAreas = ({ joined }: Late): readonly Area[] => [
  ...(joined.some(({ plugin }) => plugin.plugin.name === 'anonymous-mode')
    ? []
    : [anonymousOffArea]),
  ...linkAreas,
];

/** Lets plugins join, then gathers the kinds and routes of all areas into `late`. */
const joinAreas = async (assembly: Assembly, bound: Bound, late: Late): Promise<void> => {
  const { loaded, imported, opened, parts, stops } = assembly;
  const { container, toggles } = bound;
  late.joined = await joinPlugins(
    takingPart(assembly, bound),
    { container, opened, toggles, loaded, stops },
    parts.log,
  );
  requireKnownNames(loaded, imported, parts.log, late.joined);
  const [first, last] = [firstAreas(loaded.values), lastAreas(late)];
  const brought = late.joined.flatMap(({ contribution }) => contribution.areas ?? []);
  late.kinds = await kindsOf(container, [...first, ...brought, ...last]);
  late.routes = [
    ...(await routesOf(container, first)),
    ...late.joined.flatMap((one) => one.routes),
    ...(await routesOf(container, last)),
  ];
};

const assemble = async (assembly: Assembly): Promise<Composed> => {
  const { loaded, parts, opened, stops } = assembly;
  const late = nothingYet();
  const bound = await bindPorts(assembly, late);
  await joinAreas(assembly, bound, late);
  meterInstallation(opened, parts, loaded.values);
  meterProcess(opened, parts);
  const { hub, processes, settings, storage } = bound;
  return {
    app: await applicationOf(assembly, bound, late),
    opened,
    storage,
    ...(await resolveNeeds(bound.container, {
      auth: Auth,
      readiness: Readiness,
      operations: Operations,
    })),
    log: parts.log,
    settings,
    rows: late.routes.map(({ handle: _, ...row }) => row),
    ids: parts.ids,
    jobs: await jobsOf(assembly, bound, late),
    beats: beatsOf(bound),
    endListening: () => {
      hub.end();
    },
    leaveProcesses: () => processes.leave(),
    stop: () => stopAll(stops, parts.log),
  };
};
