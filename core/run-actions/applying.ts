// Carries out what is to be done to many runs: some runs of each action in turn, under the rights that its caller has then.
import { runActionOperations } from '#ports/api/run-actions';
import { eachAccessible, one } from '#ports/api/operation';
import type { Gate } from '#ports/api/gate';
import type { Audit } from '#ports/audit';
import type { Auth } from '#ports/auth';
import type { Clock } from '#ports/clock';
import { isFailure } from '#ports/failure';
import type { Ids } from '#ports/ids';
import type { Job } from '#ports/jobs';
import type { Log } from '#ports/log';
import { experiment, type Experiment } from '#ports/model/experiments';
import type { Outcome } from '#ports/model/audit';
import type { Caller } from '#ports/model/identity';
import type { RunAction, RunActionFailure } from '#ports/model/run-actions';
import { workspace, type Workspace } from '#ports/model/workspaces';
import type { StorageOf } from '#ports/storage/storage';
import type { Toggles } from '#ports/toggles';
import { checkMoves, moveInto, requireOneKind } from '../experiments/offers.js';
import type { ExperimentSettings } from '../experiments/settings.js';

export interface ApplyingNeeds {
  readonly storage: StorageOf<'experiments' | 'projects' | 'runActions' | 'values' | 'workspaces'>;
  readonly gate: Gate;
  readonly auth: Pick<Auth, 'recall'>;
  readonly audit: Audit;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly settings: ExperimentSettings;
  readonly toggles: Toggles;
}

const runsAtOnce = 100;
const actionsAtOnce = 100;
const everyMs = 1000;
const forgetEveryMs = 3_600_000;
const forgottenAtOnce = 200;
const keptMs = 30 * 24 * 3_600_000;

/** What an action is about, as its caller reaches it now. */
interface Reached {
  readonly caller: Caller;
  readonly runs: ReadonlyMap<string, Experiment>;
  readonly target: Workspace | undefined;
}

const isTemporary = (thrown: unknown): boolean =>
  isFailure(thrown) && thrown.kind === 'unavailable';

/** Why an action cannot go on as a whole; what is temporary or a defect is thrown on. */
const reasonOf = (thrown: unknown): string => {
  if (!isFailure(thrown) || isTemporary(thrown)) throw thrown;
  return thrown.message;
};

/** Asks the gate for these runs, in the words of the row that began the action. */
const reach = async (
  { gate, auth }: ApplyingNeeds,
  action: RunAction,
  keys: readonly string[],
): Promise<Reached | { readonly refused: string }> => {
  const caller = await auth.recall(action);
  if (caller === undefined)
    return { refused: 'the account or key that it was begun with is there no more' };
  const { target } = action.wish;
  const body = { runs: keys, targetWorkspaceName: target?.workspace };
  const subjects = [
    ...(target === undefined ? [] : [one(workspace, 'body.targetWorkspaceName')]),
    eachAccessible(experiment, 'body.runs'),
  ];
  const named = { query: {}, params: {}, body, part: {}, header: {} };
  try {
    const admitted = await gate.admit(runActionOperations.applyToRuns, subjects, named, caller, {});
    const found = admitted['experiments'] as readonly Experiment[]; // as the subject gives them
    return {
      caller,
      runs: new Map(found.map((run) => [run.key, run])),
      target: admitted['workspace'] as Workspace | undefined, // likewise
    };
  } catch (thrown) {
    return { refused: reasonOf(thrown) };
  }
};

const move = async (
  { storage, clock, ids, settings, toggles }: ApplyingNeeds,
  { caller, target }: Reached,
  project: string,
  runs: readonly Experiment[],
): Promise<void> => {
  if (target === undefined) throw new Error('an action that moves has no target');
  checkMoves(toggles, target, runs);
  await storage.transaction(async (stores) => {
    await moveInto(
      stores,
      { clock, ids, settings },
      {
        workspace: target,
        caller,
        projectName: project,
        kind: await requireOneKind(stores, runs),
        experiments: runs,
      },
    );
  });
};

/** Does to one run what is asked for; doing it again changes nothing. */
const apply = async (
  needs: ApplyingNeeds,
  reached: Reached,
  { wish: { action, tags, target } }: RunAction,
  run: Experiment,
): Promise<void> => {
  const { clock, storage } = needs;
  const { experiments, values } = storage.stores;
  if (action === 'archive' || action === 'restore')
    await experiments.update(run.id, { archived: action === 'archive' });
  else if (action === 'tag') await values.addTags(run.id, tags, clock.now());
  else if (action === 'untag') await values.removeTags(run.id, tags);
  else if (action === 'delete') await experiments.markDeleted(run.id, clock.now());
  else await move(needs, reached, target?.project ?? '', [run]);
};

const audited: readonly string[] = ['untag', 'move', 'delete'];

/** Notes it where the call for a single run would be noted. */
const note = (
  { audit }: ApplyingNeeds,
  { caller }: Reached,
  { id, wish: { action } }: RunAction,
  run: Experiment,
): Promise<string> =>
  audit.note({
    actorId: caller.userId,
    actorName: caller.userName,
    via: caller.via,
    keyId: caller.keyId,
    address: undefined,
    action: 'applyToRuns',
    thing: { kind: 'experiment', id: run.key, name: run.name },
    workspaceId: run.workspaceId,
    detail: { runAction: id, did: action },
    outcome: 'begun',
  });

/** Moves runs in one transaction; `false`, with none of them moved, where something stands against one of them. */
const movedTogether = async (
  needs: ApplyingNeeds,
  reached: Reached,
  { wish: { action, target } }: RunAction,
): Promise<boolean> => {
  if (action !== 'move' || reached.runs.size === 0) return false;
  try {
    await move(needs, reached, target?.project ?? '', [...reached.runs.values()]);
    return true;
  } catch (thrown) {
    if (!isFailure(thrown) || isTemporary(thrown)) throw thrown;
    return false;
  }
};

/** Does to each run that was reached what is asked for; answers what was thrown, by the key of the run. */
const applyEach = async (
  needs: ApplyingNeeds,
  reached: Reached,
  action: RunAction,
): Promise<ReadonlyMap<string, unknown>> => {
  const thrownFor = new Map<string, unknown>();
  const entries = new Map<string, string>();
  if (audited.includes(action.wish.action))
    for (const [key, run] of reached.runs)
      entries.set(key, await note(needs, reached, action, run));
  const complete = async (key: string, outcome: Outcome) => {
    const entry = entries.get(key);
    if (entry !== undefined) await needs.audit.complete(entry, outcome);
  };
  const moved = await movedTogether(needs, reached, action);
  for (const [key, run] of reached.runs)
    try {
      if (!moved) await apply(needs, reached, action, run);
      await complete(key, 'done');
    } catch (thrown) {
      await complete(key, isFailure(thrown) ? 'refused' : 'failed');
      if (isTemporary(thrown)) throw thrown;
      thrownFor.set(key, thrown);
    }
  return thrownFor;
};

/** Does it to some runs; answers to which it was not done. A run that is gone was deleted already. */
const applyToSome = async (
  needs: ApplyingNeeds,
  reached: Reached,
  action: RunAction,
  keys: readonly string[],
): Promise<readonly RunActionFailure[]> => {
  const missed = keys.filter((key) => !reached.runs.has(key));
  const gone = action.wish.action === 'delete' && missed.length > 0;
  const there = gone ? await needs.storage.stores.experiments.listByKeys(missed) : [];
  const thrownFor = await applyEach(needs, reached, action);
  return keys.flatMap((run) => {
    if (!reached.runs.has(run))
      return gone && !there.some(({ key }) => key === run)
        ? []
        : [{ run, message: `experiment ${run} is not there, or not yours to change` }];
    if (!thrownFor.has(run)) return [];
    const thrown = thrownFor.get(run);
    if (isFailure(thrown)) return [{ run, message: thrown.message }];
    needs.log.error('an action on a run failed', { action: action.id, run, error: thrown });
    return [{ run, message: 'the server failed on this run' }];
  });
};

/** Takes an action some runs further. Another process that did so meanwhile leaves nothing to note. */
export const advanceRunAction = async (
  needs: ApplyingNeeds,
  action: RunAction,
  runs: readonly string[],
): Promise<void> => {
  const { runActions } = needs.storage.stores;
  const keys = runs.slice(action.done, action.done + runsAtOnce);
  const reached = await reach(needs, action, keys);
  if ('refused' in reached) {
    const at = needs.clock.now();
    await runActions.end(action.id, { state: 'refused', reason: reached.refused, at });
    return;
  }
  const failures = await applyToSome(needs, reached, action, keys);
  await runActions.advance(action.id, {
    from: action.done,
    to: action.done + keys.length,
    failures,
    at: needs.clock.now(),
  });
};

/** Works on every action that is not through, some runs of each in turn, until none is left. */
const applyAll = async (needs: ApplyingNeeds, signal: AbortSignal): Promise<void> => {
  const { runActions } = needs.storage.stores;
  const lists = new Map<string, readonly string[]>();
  for (;;) {
    const running = signal.aborted ? [] : await runActions.listRunning(actionsAtOnce);
    if (running.length === 0) return;
    for (const action of running) {
      if (signal.aborted) return;
      const runs = lists.get(action.id) ?? (await runActions.listRuns(action.id));
      lists.set(action.id, runs);
      await advanceRunAction(needs, action, runs);
      if (action.done + runsAtOnce >= action.total) lists.delete(action.id);
    }
  }
};

export const runActionJobs = (needs: ApplyingNeeds): readonly Job[] => [
  { name: 'run-actions', everyMs, run: (signal) => applyAll(needs, signal) },
  {
    name: 'forget-run-actions',
    everyMs: forgetEveryMs,
    run: async (signal) => {
      const { runActions } = needs.storage.stores;
      const before = () => needs.clock.now() - keptMs;
      while (
        !signal.aborted &&
        (await runActions.removeEnded(before(), forgottenAtOnce)) >= forgottenAtOnce
      );
    },
  },
];
