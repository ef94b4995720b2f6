// What the rules ask to be done without a request: runs that ended in silence, bytes that no one needs, requests that nobody decided.
import type { BlobStore } from '#ports/blob-store';
import type { Clock } from '#ports/clock';
import type { Job } from '#ports/jobs';
import type { Log } from '#ports/log';
import { workTogether } from '#ports/queues';
import type { Stores } from '#ports/storage/storage';
import { sweepBlobs } from '../assets/offers.js';
import { sweepIdentity } from '../identity/offers.js';
import { expireRequests } from '../registry/offers.js';
import type { AuditSettings } from '../audit/settings.js';
import type { OAuthSettings } from '../oauth/settings.js';
import type { OptimizerSettings } from '../optimizer/settings.js';
import type { RegistrySettings } from '../registry/settings.js';

const sweepEveryMs = 10_000;
const sweepAtOnce = 500;

/** Marks runs whose beats have lapsed as not alive; one whose client would have said that it ends has crashed. */
export const sweepLapsed = async ({
  stores,
  clock,
  log,
  signal,
}: {
  readonly stores: Pick<Stores, 'experiments' | 'metrics' | 'queueFaults' | 'texts'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}): Promise<number> => {
  for (let swept = 0; ;) {
    const now = clock.now();
    const lapsed = signal.aborted ? [] : await stores.experiments.listLapsed(now, sweepAtOnce);
    swept += await workTogether(
      { faults: stores.queueFaults, clock, log },
      {
        queue: 'lapsed-experiments',
        items: lapsed,
        idOf: (id) => id,
        signal,
        // Marked last, so that a run is found again where this breaks off.
        async work(ids) {
          await stores.metrics.queueCompaction(ids);
          await stores.texts.queuePacking(ids);
          await stores.experiments.markLapsed(ids, now);
        },
      },
    );
    if (lapsed.length < sweepAtOnce) return swept;
  }
};

const blobsEveryMs = 30_000;
const blobsAtOnce = 500;
const oauthEveryMs = 60_000;
const oauthAtOnce = 500;
const requestsEveryMs = 60_000;
const identityEveryMs = 60_000;
const oldEveryMs = 3_600_000;
const oldAtOnce = 1000;
const dayMs = 24 * 3_600_000;

/** Removes, some at a time, what is older than so many days, of which 0 is for ever; answers how much. */
const removeOlder = async (
  remove: (before: number, limit: number) => Promise<number>,
  {
    now,
    days,
    atOnce,
    signal,
  }: {
    readonly now: () => number;
    readonly days: number;
    readonly atOnce: number;
    readonly signal: AbortSignal;
  },
): Promise<number> => {
  if (days === 0) return 0;
  for (let gone = 0; ;) {
    const some = signal.aborted ? 0 : await remove(now() - days * dayMs, atOnce);
    gone += some;
    if (some < atOnce) return gone;
  }
};

/** Takes away entries of the audit log that are older than it is kept; answers how many. */
export const forgetOld = (
  { audit }: Pick<Stores, 'audit'>,
  clock: Clock,
  days: number,
  signal: AbortSignal,
): Promise<number> =>
  removeOlder((before, limit) => audit.removeBefore(before, limit), {
    now: () => clock.now(),
    days,
    atOnce: oldAtOnce,
    signal,
  });

/** Removes programs that registered this many days ago and that nobody uses; answers how many. */
export const forgetPrograms = (
  { oauth }: Pick<Stores, 'oauth'>,
  clock: Clock,
  days: number,
  signal: AbortSignal,
): Promise<number> =>
  removeOlder((before, limit) => oauth.removeUnusedClients(before, clock.now(), limit), {
    now: () => clock.now(),
    days,
    atOnce: oldAtOnce,
    signal,
  });

/** Whoever keeps a copy of traces and spans and did not look for so long makes it anew. */
const changesDays = 3;

const searchesAtOnce = 20;

/** Removes searches for parameters that nothing was heard of for so many days; answers how many. */
export const forgetSearches = (
  { optimizers }: Pick<Stores, 'optimizers'>,
  clock: Clock,
  days: number,
  signal: AbortSignal,
): Promise<number> =>
  removeOlder((before, limit) => optimizers.removeSilent(before, limit), {
    now: () => clock.now(),
    days,
    atOnce: searchesAtOnce,
    signal,
  });

const namesAtOnce = 500;
/** Each look marks what the one before it left unmarked, and removes what has been marked for half a day. */
const [namesEveryMs, markedMs] = [dayMs / 4, dayMs / 2];

/** Looks through the names of values of all projects for those that no experiment has any more. */
export const forgetNames = async (
  { search }: Pick<Stores, 'search'>,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> => {
  let after: string | undefined;
  do {
    const now = clock.now();
    after = await search.forgetNames(after, { now, before: now - markedMs }, namesAtOnce);
  } while (after !== undefined && !signal.aborted);
};

export const upkeepJobs = (
  stores: Pick<
    Stores,
    | 'analyticRows'
    | 'approvals'
    | 'attempts'
    | 'audit'
    | 'blobRecords'
    | 'experiments'
    | 'metrics'
    | 'oauth'
    | 'optimizers'
    | 'queueFaults'
    | 'search'
    | 'sessions'
    | 'texts'
    | 'tickets'
    | 'uploads'
  >,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  store: BlobStore,
  settings: Pick<OAuthSettings, 'ORRERY_OAUTH_CLIENT_DAYS'> &
    Pick<AuditSettings, 'ORRERY_AUDIT_DAYS'> &
    Pick<OptimizerSettings, 'ORRERY_OPTIMIZER_DAYS'> &
    Pick<RegistrySettings, 'ORRERY_REGISTRY_REQUEST_DAYS'>,
): readonly Job[] => [
  {
    name: 'sweep-lapsed',
    everyMs: sweepEveryMs,
    run: async (signal) => {
      await sweepLapsed({ stores, clock, log, signal });
    },
  },
  {
    name: 'sweep-blobs',
    everyMs: blobsEveryMs,
    run: async (signal) => {
      while (
        !signal.aborted &&
        (await sweepBlobs(
          {
            uploads: stores.uploads,
            blobRecords: stores.blobRecords,
            blob: store.blob,
            store,
            clock,
            log,
            faults: stores.queueFaults,
          },
          blobsAtOnce,
          signal,
        )) === blobsAtOnce
      );
    },
  },
  {
    name: 'forget-oauth',
    everyMs: oauthEveryMs,
    run: async (signal) => {
      while (
        !signal.aborted &&
        (await stores.oauth.removeEnded(clock.now(), oauthAtOnce)) >= oauthAtOnce
      );
    },
  },
  {
    name: 'forget-programs',
    everyMs: oldEveryMs,
    run: async (signal) => {
      await forgetPrograms(stores, clock, settings.ORRERY_OAUTH_CLIENT_DAYS, signal);
    },
  },
  {
    name: 'sweep-identity',
    everyMs: identityEveryMs,
    run: (signal) => sweepIdentity({ stores, clock, signal }),
  },
  {
    name: 'forget-audit',
    everyMs: oldEveryMs,
    run: async (signal) => {
      await forgetOld(stores, clock, settings.ORRERY_AUDIT_DAYS, signal);
    },
  },
  {
    name: 'forget-searches',
    everyMs: oldEveryMs,
    run: async (signal) => {
      await forgetSearches(stores, clock, settings.ORRERY_OPTIMIZER_DAYS, signal);
    },
  },
  {
    name: 'forget-names',
    everyMs: namesEveryMs,
    run: (signal) => forgetNames(stores, clock, signal),
  },
  {
    name: 'forget-entry-changes',
    everyMs: oldEveryMs,
    run: async (signal) => {
      await removeOlder((before, limit) => stores.analyticRows.forgetChanges(before, limit), {
        ...{ now: () => clock.now(), days: changesDays, atOnce: oldAtOnce, signal },
      });
    },
  },
  {
    name: 'expire-requests',
    everyMs: requestsEveryMs,
    run: async (signal) => {
      while (
        !signal.aborted &&
        (await expireRequests({ approvals: stores.approvals, clock, settings })) > 0
      );
    },
  },
];
