import { optimizerFamily } from '#ports/api/families/plain';
import { area } from '#ports/api/area';
import { optimizerOperations } from '#ports/api/optimizer';
import { Clock } from '#ports/clock';
import { Failure, isFailure } from '#ports/failure';
import { Ids } from '#ports/ids';
import {
  optimizerAlgorithms,
  type Optimizer,
  type OptimizerAlgorithm,
  type Trial,
} from '#ports/model/optimizer';
import { Settings } from '#ports/settings';
import { storageOf, type Stores } from '#ports/storage/storage';
import { checkGrid, countSets, isOver, progressOf, propose } from './rules.js';
import { readSpec, settingsOf, type Spec } from './spec.js';
import { readSpace } from './space.js';
import { optimizerSettings } from './settings.js';
import { optimizerKind } from './kinds.js';

const needs = { storage: storageOf('optimizers'), clock: Clock, ids: Ids, settings: Settings };
const descriptions: Readonly<Record<OptimizerAlgorithm, string>> = {
  random: 'Sets drawn at random',
  grid: 'Every combination of values',
  bayes: 'Sets drawn near those that did well',
};

/** Trials that the learning algorithm looks back on. */
const memory = 10_000;
/** Without a word for this long, whoever took a trial is taken for gone, in ms. */
const silenceMs = 5 * 60_000;
const defaultPage = 100;

const requireAlgorithm = (name: string): OptimizerAlgorithm => {
  const found = optimizerAlgorithms.find((one) => one === name);
  if (found === undefined)
    throw new Failure(
      'invalid',
      `algorithm ${name.slice(0, 40)} is unknown; there are ${optimizerAlgorithms.join(', ')}`,
    );
  return found;
};

const readObject = (text: string) => JSON.parse(text) as Record<string, unknown>; // stored as the text of an object
const finite = (text: string | undefined): number | undefined => {
  const score = text === undefined || text.trim() === '' ? NaN : Number(text);
  return Number.isFinite(score) ? score : undefined;
};
const ended = new Set(['completed', 'aborted', 'processed']);

/** The search as its settings say it. */
const open = (optimizer: Optimizer) => {
  const [spec, space] = [
    readSpec(readObject(optimizer.spec)),
    readSpace(readObject(optimizer.parameters)),
  ];
  return { spec, space, total: countSets(optimizer, spec, space) * optimizer.trials };
};

const toJob = (trial: Trial) => ({
  pid: trial.pid,
  trial: trial.trial,
  count: trial.count,
  status: trial.status,
  score: trial.score ?? null,
  epoch: trial.epoch ?? null,
  parameters: readObject(trial.parameters),
  tries: trial.tries,
  retries: trial.retries,
  startTime: trial.startTime ?? null,
  endTime: trial.endTime ?? null,
  lastUpdateTime: trial.updatedAt,
  metadata: trial.metadata === undefined ? {} : readObject(trial.metadata),
});

/** This wire tells what cannot be done in a reply of its own. */
const translateFault = async <T>(work: () => Promise<T>) => {
  try {
    return await work();
  } catch (thrown) {
    if (isFailure(thrown) && thrown.kind === 'invalid')
      return { code: 400, message: thrown.message };
    throw thrown;
  }
};

export const optimizerArea = area({
  name: 'optimizer',
  summary: 'Searches for good parameters: their trials and how these went.',
  family: optimizerFamily,
  table: optimizerOperations,
  settings: optimizerSettings,
  kinds: [optimizerKind],
  needs,
  handlers: ({ storage, clock, ids, settings }) => {
    const { optimizers } = storage.stores;

    /** The trial at a place of the search: all trials of one set follow each other. */
    const make = async (
      stores: Pick<Stores, 'optimizers'>,
      optimizer: Optimizer,
    ): Promise<Trial> => {
      const { spec, space } = open(optimizer);
      const [place, number] = [
        Math.floor(optimizer.assigned / optimizer.trials),
        (optimizer.assigned % optimizer.trials) + 1,
      ];
      const now = clock.now();
      const first = {
        trial: number,
        count: optimizer.assigned + 1,
        status: 'assigned',
        score: undefined,
        epoch: undefined,
        tries: 1,
        retries: 0,
        startTime: now,
        endTime: undefined,
        updatedAt: now,
        metadata: undefined,
      };
      const pid = `${optimizer.id.replaceAll('-', '').slice(-12)}-${place + 1}`;
      const before =
        number === 1 ? undefined : await stores.optimizers.findTrial(optimizer.id, pid, 1);
      if (before !== undefined) return { ...first, pid, parameters: before.parameters };
      const tried =
        optimizer.algorithm === 'bayes'
          ? await stores.optimizers.listTrials(optimizer.id, { limit: memory })
          : [];
      return {
        ...first,
        pid,
        parameters: JSON.stringify(propose(optimizer, spec, space, place, tried)),
      };
    };
    const retake = async (
      stores: Pick<Stores, 'optimizers'>,
      { id }: Optimizer,
      { retryLimit, retryAssignLimit }: Spec,
    ): Promise<Trial | undefined> => {
      const now = clock.now();
      const found = await stores.optimizers.findRepeatable(id, {
        aborted: retryLimit,
        silent: retryAssignLimit,
        silentSince: now - silenceMs,
      });
      return found !== undefined && (await stores.optimizers.claimAgain(id, found, now))
        ? found
        : undefined;
    };
    /** One process after the other: a proposal depends on what was given out before it. */
    const take = (asked: Optimizer): Promise<Trial | undefined> =>
      storage.transaction(async (stores) => {
        const optimizer = await stores.optimizers.lock(asked.id);
        if (optimizer === undefined) return undefined;
        const { spec, total } = open(optimizer);
        const again = await retake(stores, optimizer, spec);
        if (again !== undefined || optimizer.assigned >= total) return again;
        const trial = await make(stores, optimizer);
        if (!(await stores.optimizers.claim(optimizer.id, optimizer.assigned, trial)))
          throw new Error('a trial of a locked optimizer was given out by somebody else');
        return trial;
      });

    return {
      listAlgorithms: async () =>
        optimizerAlgorithms.map((name) => ({ name, description: descriptions[name] })),
      getSpec: async ({ query }) => settingsOf(requireAlgorithm(query.algorithmName)),
      createOptimizer: ({ body, workspace, caller }) =>
        translateFault(async () => {
          const [algorithm, trials, spec] = [
            requireAlgorithm(body.algorithm),
            body.trials ?? 1,
            body.spec ?? {},
          ];
          if (trials < 1 || trials > 10_000)
            throw new Failure('invalid', 'trials must be from 1 to 10000');
          const space = readSpace(body.parameters);
          if (algorithm === 'grid') checkGrid(spec, space);
          const id = ids.next();
          const seed = readSpec(spec).seed ?? ids.key();
          await optimizers.insert({
            id,
            workspaceId: workspace.id,
            userId: caller.userId,
            algorithm,
            name: body.name,
            parameters: JSON.stringify(body.parameters),
            spec: JSON.stringify(spec),
            trials,
            seed: seed.slice(0, 64),
            createdAt: clock.now(),
          });
          return { code: 200, id };
        }),
      async getStatus({ optimizer }) {
        const { spec, space, total } = open(optimizer);
        const over = isOver(
          optimizer.assigned,
          total,
          await optimizers.countByStatus(optimizer.id),
        );
        const times = await optimizers.findTimes(optimizer.id);
        return {
          id: optimizer.id,
          algorithm: optimizer.algorithm,
          name: optimizer.name ?? optimizer.id,
          parameters: readObject(optimizer.parameters),
          trials: optimizer.trials,
          spec: readObject(optimizer.spec),
          version: settings.version,
          status: over ? ('completed' as const) : ('running' as const),
          createdAt: optimizer.createdAt,
          startTime: times?.startedAt ?? null,
          endTime: over ? (times?.updatedAt ?? null) : null,
          lastUpdateTime: times?.updatedAt ?? null,
          ...progressOf(optimizer, spec, space),
        };
      },
      async takeTrial({ optimizer }) {
        const trial = await take(optimizer);
        if (trial === undefined)
          return { code: 404, message: 'the search has no further trial to give' };
        return {
          code: 200,
          parameters: {
            parameters: readObject(trial.parameters),
            pid: trial.pid,
            trial: trial.trial,
            count: trial.count,
          },
        };
      },
      async updateTrial({ body, optimizer }) {
        const now = clock.now();
        const known = await optimizers.updateTrial(
          optimizer.id,
          body.pid.slice(0, 64),
          body.trial,
          {
            status: body.status,
            score: finite(body.score),
            epoch: body.epoch,
            endTime: ended.has(body.status) ? now : undefined,
            updatedAt: now,
            ...(body.metadata === undefined ? {} : { metadata: JSON.stringify(body.metadata) }),
          },
        );
        return known
          ? { code: 200 }
          : {
              code: 404,
              message: `trial ${body.trial} of ${body.pid.slice(0, 64)} is not of this search`,
            };
      },
      async insertTrial({ body, optimizer }) {
        const { id: _, score, parameters, metadata, lastUpdateTime, ...rest } = body;
        await optimizers.putTrial(optimizer.id, {
          pid: rest.pid,
          trial: rest.trial,
          status: rest.status,
          count: rest.count ?? 0,
          epoch: rest.epoch,
          tries: rest.tries ?? 1,
          retries: rest.retries ?? 0,
          startTime: rest.startTime,
          endTime: rest.endTime,
          score: finite(score),
          parameters: JSON.stringify(parameters ?? {}),
          updatedAt: lastUpdateTime ?? clock.now(),
          metadata: metadata === undefined ? undefined : JSON.stringify(metadata),
        });
        return { code: 200 };
      },
      async getDashboard({ query, optimizer }) {
        const [page, size] = [query.page ?? 1, query.page_size ?? defaultPage];
        const counts = await optimizers.countByStatus(optimizer.id);
        const shown = query.status ?? [...counts.keys()];
        const total = shown.reduce((sum, status) => sum + (counts.get(status) ?? 0), 0);
        const jobs = await optimizers.listTrials(optimizer.id, {
          limit: size,
          offset: (page - 1) * size,
          ...(query.status === undefined ? {} : { statuses: query.status }),
        });
        return {
          code: 200,
          jobs: jobs.map(toJob),
          max_jobs: open(optimizer).total,
          assigned_count: optimizer.assigned,
          completed_count: counts.get('completed') ?? 0,
          failed_count: counts.get('aborted') ?? 0,
          pagination: { page, page_size: size, total, total_pages: Math.ceil(total / size) },
        };
      },
    };
  },
});
