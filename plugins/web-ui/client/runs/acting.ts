// What is done to many runs at once: begun as one job, waited for, told at the foot with the way back.
import { attempt } from '../attempt.js';
import { doLater } from '../later.js';
import { runsChanged } from '../live.js';
import { runServer, runsServer } from '../server.js';
import { tell } from '../state.js';

/** Runs by their keys, or all that satisfy a query. */
export type Those =
  { readonly runs: readonly string[] } | { readonly query: unknown; readonly archived: boolean };
export interface Deed {
  readonly action: 'archive' | 'restore' | 'tag' | 'untag' | 'move' | 'delete';
  readonly tags?: readonly string[];
  readonly target?: { readonly workspace: string; readonly project: string };
}

const bodyOf = (project: string, those: Those, { action, tags, target }: Deed) => ({
  project,
  action,
  ...('runs' in those
    ? { runs: [...those.runs] }
    : { query: those.query ?? [], archived: those.archived }),
  ...(tags === undefined ? {} : { tags: [...tags] }),
  ...(target === undefined
    ? {}
    : { targetWorkspaceName: target.workspace, targetProjectName: target.project }),
});

/** How many runs it would be done to. */
export const countThose = async (project: string, those: Those, deed: Deed): Promise<number> =>
  (await runsServer.act({ body: { ...bodyOf(project, those, deed), dryRun: true } })).runs;

const waitFor = async (action: string) => {
  for (;;) {
    const now = await runsServer.getAction({ params: { action } });
    if (now.state !== 'running') return now;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
};

const past: Readonly<Record<Deed['action'], string>> = {
  archive: 'archived',
  restore: 'restored',
  tag: 'tagged',
  untag: 'untagged',
  move: 'moved',
  delete: 'deleted',
};
const opposite: Readonly<Partial<Record<Deed['action'], Deed['action']>>> = {
  archive: 'restore',
  restore: 'archive',
  tag: 'untag',
  untag: 'tag',
};

export const countedRuns = (count: number): string => `${count} ${count === 1 ? 'run' : 'runs'}`;

/** Does it, waits until it is through, and offers the way back where there is one. */
export const doTo = async (project: string, those: Those, deed: Deed): Promise<void> => {
  const { begun } = await runsServer.act({ body: bodyOf(project, those, deed) });
  if (begun === null) {
    tell('No run to do this to');
    return;
  }
  const ended = await waitFor(begun.id);
  runsChanged.value++;
  const failed = ended.failed === 0 ? '' : `; ${ended.failed} not: ${ended.failures[0]?.message}`;
  const back = opposite[deed.action];
  // Which runs a query meant is not known afterwards: what was done to them may be why it no longer finds them.
  const undo =
    back === undefined || !('runs' in those)
      ? undefined
      : () => attempt(doTo(project, those, { ...deed, action: back }));
  tell(
    ended.state === 'done'
      ? `${countedRuns(ended.done - ended.failed)} ${past[deed.action]}${failed}`
      : `${ended.state}: ${ended.reason ?? ''}`,
    undo,
  );
};

/** Deletes after a while in which it can be taken back. */
export const deleteSoon = (project: string, those: Those, count: number): void => {
  doLater(
    () => doTo(project, those, { action: 'delete' }),
    `${countedRuns(count)} will be deleted`,
    () => tell('Nothing was deleted'),
  );
};

/** Asks those that still run to stop, one after another. */
export const stopAll = async (keys: readonly string[]): Promise<void> => {
  for (const experimentKey of keys) await runServer.stop({ query: { experimentKey } });
  runsChanged.value++;
  tell(`${countedRuns(keys.length)} asked to stop`);
};
