import { area } from '#ports/api/area';
import { privateFamily } from '#ports/api/families/private';
import { Gate } from '#ports/api/gate';
import { one } from '#ports/api/operation';
import { runActionBounds, runActionOperations } from '#ports/api/run-actions';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { Ids } from '#ports/ids';
import type { RunAction, RunActionName, RunActionWish } from '#ports/model/run-actions';
import { workspace } from '#ports/model/workspaces';
import { NamePatterns } from '#ports/name-patterns';
import type { Condition } from '#ports/query';
import type { RunPosition } from '#ports/storage/run-table';
import { storageOf, type Stores } from '#ports/storage/storage';
import { readPageQuery } from '../experiments/query/matching.js';
import { runActionKind } from './kinds.js';

const needs = {
  storage: storageOf('projects', 'runActions', 'runTable'),
  gate: Gate,
  clock: Clock,
  ids: Ids,
  patterns: NamePatterns,
};
const pageSize = 1000;

interface Asked {
  readonly action: RunActionName;
  readonly tags?: readonly string[] | undefined;
  readonly targetWorkspaceName?: string | undefined;
  readonly targetProjectName?: string | undefined;
}

/** What is to be done to each run. Rejects with `invalid` for an action that says too little or too much. */
const readWish = (asked: Asked): RunActionWish => {
  const { action, tags = [], targetWorkspaceName, targetProjectName } = asked;
  const tagging = action === 'tag' || action === 'untag';
  if (tagging !== tags.length > 0)
    throw new Failure(
      'invalid',
      tagging ? 'tags must name at least one tag' : `tags have no meaning for ${action}`,
    );
  const moving = action === 'move';
  if (!moving && (targetWorkspaceName ?? targetProjectName) !== undefined)
    throw new Failure('invalid', `a target has no meaning for ${action}`);
  if (!moving) return { action, tags, target: undefined };
  if (targetWorkspaceName === undefined || targetProjectName === undefined)
    throw new Failure('invalid', 'targetWorkspaceName and targetProjectName must say where to');
  return { action, tags, target: { workspace: targetWorkspaceName, project: targetProjectName } };
};

const checkNamed = (names: readonly string[], query: unknown): void => {
  if (query !== undefined)
    throw new Failure('invalid', 'runs are named, or asked for by a query, not both');
  if (names.length > runActionBounds.named)
    throw new Failure('invalid', `runs may name at most ${runActionBounds.named} runs`);
};

interface Selection {
  readonly projectId: string;
  readonly condition: Condition;
  readonly archived: boolean;
  readonly signal: AbortSignal;
}

/** How many runs satisfy a query. Rejects with `invalid` when an action cannot be about so many. */
const countRuns = async (
  { runTable }: Pick<Stores, 'runTable'>,
  selection: Selection,
): Promise<number> => {
  const { total } = await runTable.page({ ...selection, sort: [], columns: [], limit: 1 });
  if (total > runActionBounds.runs)
    throw new Failure(
      'invalid',
      `an action is about at most ${runActionBounds.runs} runs; ${total} satisfy this query`,
    );
  return total;
};

/** The keys of all of them. */
const listRuns = async (
  { runTable }: Pick<Stores, 'runTable'>,
  selection: Selection,
): Promise<readonly string[]> => {
  const keys: string[] = [];
  for (let after: RunPosition | undefined; ;) {
    const page = await runTable.page({
      ...selection,
      sort: [],
      columns: [],
      limit: pageSize,
      uncounted: true,
      ...(after === undefined ? {} : { after }),
    });
    keys.push(...page.keys);
    after = page.next;
    if (after === undefined) return keys;
  }
};

const toProgress = (action: RunAction) => ({
  id: action.id,
  project: action.projectId,
  action: action.wish.action,
  state: action.state,
  runs: action.total,
  done: action.done,
  failed: action.failed,
  failures: action.failures,
  reason: action.reason ?? null,
  createdAt: action.createdAt,
  endedAt: action.endedAt ?? null,
});

export const runActionsArea = area({
  name: 'run-actions',
  summary: 'What is done to many runs at once, as a job that goes on behind the request.',
  family: privateFamily,
  table: runActionOperations,
  kinds: [runActionKind],
  needs,
  handlers: ({ storage, gate, clock, ids, patterns }) => {
    const { runActions, runTable } = storage.stores;
    const select = async (
      asked: Omit<Selection, 'condition'>,
      query: unknown,
    ): Promise<Selection> => ({
      ...asked,
      condition: await readPageQuery({ runTable, patterns, clock }, asked, query),
    });
    const require = async (id: string): Promise<RunAction> => {
      const found = await runActions.find(id);
      if (found === undefined) throw new Failure('absent', `action ${id} not found`);
      return found;
    };
    return {
      async applyToRuns({ body, project, experiments, caller, signal }) {
        const wish = readWish(body);
        if (wish.target !== undefined) {
          const named = { query: {}, params: {}, body, part: {}, header: {} };
          const subjects = [one(workspace, 'body.targetWorkspaceName')];
          await gate.admit(runActionOperations.applyToRuns, subjects, named, caller, {});
        }
        const selection =
          body.runs !== undefined || body.query === undefined
            ? undefined
            : await select(
                {
                  projectId: project.id,
                  archived: body.archived ?? wish.action === 'restore',
                  signal,
                },
                body.query,
              );
        if (body.runs !== undefined) checkNamed(body.runs, body.query);
        else if (selection === undefined)
          throw new Failure('invalid', 'query or runs must say which runs are meant');
        const total =
          selection === undefined ? experiments.length : await countRuns(storage.stores, selection);
        if (body.dryRun === true) return { runs: total, begun: null };
        const runs =
          selection === undefined
            ? experiments.map(({ key }) => key)
            : (await listRuns(storage.stores, selection)).slice(0, runActionBounds.runs);
        const id = ids.next();
        await storage.transaction(async (stores) => {
          await stores.projects.lock(project.id);
          if ((await stores.runActions.countRunning(project.id)) >= runActionBounds.underWay)
            throw new Failure(
              'conflict',
              `${runActionBounds.underWay} actions of the project are under way already, which is the most`,
            );
          await stores.runActions.insert({
            id,
            projectId: project.id,
            userId: caller.userId,
            via: caller.via,
            keyId: caller.keyId,
            scope: caller.scope,
            wish,
            createdAt: clock.now(),
            runs,
          });
        });
        return { runs: runs.length, begun: toProgress(await require(id)) };
      },
      async getRunAction({ runAction: found }) {
        return toProgress(found);
      },
      async listRunActionRuns({ query: { after = 0 }, runAction: { id, done, failures } }) {
        const end = Math.min(done, after + pageSize);
        const failed = new Set(failures.map(({ run }) => run));
        const runs = (await runActions.listRuns(id)).slice(after, end);
        return {
          runs: runs.filter((key) => !failed.has(key)),
          next: end < done ? end : null,
        };
      },
      async cancelRunAction({ runAction: { id } }) {
        await runActions.end(id, { state: 'cancelled', at: clock.now() });
        return toProgress(await require(id));
      },
    };
  },
});
