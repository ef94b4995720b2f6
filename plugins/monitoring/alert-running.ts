// Looks at windows as they become complete. Each window of a rule is judged once, whichever process does it and however often it is stopped: what a
// window changes, and what is to be told of it, is stored together, and told from there until it is with the channels.
import type { Announcement } from '#ports/announcements';
import type { Job } from '#ports/jobs';
import type { PluginTables } from '#ports/plugin-tables';
import { alertToggle } from './alert-rows.js';
import { judge, type Reading, type TargetState, type Told } from './alert-judging.js';
import { readWindow, targetName, targetsOf, type Target } from './alert-reading.js';
import { delayMs, lastWindowEnd, needsSamples, pauseMs, type Rule } from './alert-rules.js';
import { lockAlert, rowOf, stateIn, toAlert, type Alert, type States } from './alerts.js';
import { Facts } from './facts.js';
import {
  announcementOf,
  firingOf,
  loudAt,
  monitoringUrl,
  storeFiring,
  type Firing,
} from './firings.js';
import { fieldsOf, findModel, type Field, type MonitoredModel } from './models.js';
import { hourMs, type MonitoringNeeds } from './needs.js';
import { segmentsOf } from './segments.js';
import { Turns } from './turns.js';

/** Something of a target that is told. */
interface ToldOf {
  readonly name: string;
  readonly target: Target;
  readonly reading: Reading;
  readonly before: TargetState;
  readonly state: TargetState;
  readonly told: Told;
}

/** Whether a state is what a target without one has, so that it need not be kept. */
const isPlain = (rule: Rule, { standing, firedAt, windowTo }: TargetState): boolean =>
  standing === 'OK' && (firedAt === null || windowTo - firedAt >= rule.cooldownHours * hourMs);

/** Judges one window of every target: how all stand then, and what is told. The one function for windows as they come and of the past. */
export const judgeWindow = (
  rule: Rule,
  states: States,
  targets: readonly Target[],
  readings: readonly Reading[],
  windowTo: number,
): { readonly states: States; readonly told: readonly ToldOf[] } => {
  const after: Record<string, TargetState> = {};
  const told: ToldOf[] = [];
  targets.forEach((target, at) => {
    const reading = readings[at];
    if (reading === undefined) return;
    const name = targetName(target);
    const before = stateIn(states, name);
    const judged = judge(rule, before, reading, windowTo, needsSamples(rule.type));
    if (!isPlain(rule, judged.state)) after[name] = judged.state;
    if (judged.told !== undefined)
      told.push({ name, target, reading, before, state: judged.state, told: judged.told });
  });
  return { states: after, told };
};

/** The columns whose sums a rule reads where it looks at segments. */
const interestOf = (
  rule: Rule,
  targets: readonly Target[],
  fields: ReadonlyMap<string, Field>,
): readonly string[] => [
  ...new Set([
    ...targets.flatMap(({ column }) => (column === null ? [] : [column])),
    ...[...fields.values()]
      .filter(
        ({ source }) =>
          (rule.type === 'MODEL_DRIFT' && source === 'feature') ||
          (rule.type === 'LABEL_COVERAGE' && source === 'label'),
      )
      .map(({ column }) => column),
  ]),
];

type Reads = Pick<MonitoringNeeds, 'tables' | 'ids' | 'clock' | 'analytics'>;

/** What a rule reads, and of what. */
export const prepare = async (
  needs: Reads,
  model: MonitoredModel,
  rule: Rule,
  signal: AbortSignal,
): Promise<{ readonly facts: Facts; readonly targets: readonly Target[] }> => {
  const fields = await fieldsOf(needs.tables, model.id);
  const targets = targetsOf(rule, fields, await segmentsOf(needs.tables, model.id));
  const facts = new Facts(needs, { model, signal }, fields, interestOf(rule, targets, fields));
  return { facts, targets };
};

type Running = Pick<
  MonitoringNeeds,
  'tables' | 'ids' | 'clock' | 'log' | 'announcements' | 'settings' | 'analytics'
>;

interface Place {
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly url: string;
}
export const placeOfModel = async (
  { announcements, settings }: Pick<MonitoringNeeds, 'announcements' | 'settings'>,
  { workspaceId }: MonitoredModel,
): Promise<Place> => {
  const workspaceName = (await announcements.workspaceName(workspaceId)) ?? '';
  return { workspaceId, workspaceName, url: monitoringUrl(settings.baseUrl, workspaceName) };
};

/** Keeps what is to be told of a firing until it is with the channels. */
const storeTelling = async (
  needs: Running,
  inside: PluginTables,
  rule: Rule,
  firing: Firing,
  told: Told,
  place: Place,
): Promise<void> => {
  const now = needs.clock.now();
  if (rule.channels.length === 0 || (rule.muteUntil ?? 0) > now) return;
  const announcement = announcementOf(needs, rule, firing, told, place);
  await inside.upsert('tellings', {
    due_at: loudAt(rule.quietHours, now),
    telling: announcement.id,
    content: JSON.stringify({ announcement, channels: rule.channels }),
  });
};

const mostWindows = 200;
/** The ends of the windows that are due; of many that were missed, the last ones. */
const dueEnds = (alert: Alert, last: number): readonly number[] => {
  const pause = pauseMs(alert.rule);
  const first = Math.max(alert.evaluatedTo + pause, last - (mostWindows - 1) * pause);
  const ends: number[] = [];
  for (let end = first; end <= last; end += pause) ends.push(end);
  return ends;
};

/** Something that a window told, and what it is about. */
export interface Found {
  readonly told: Told;
  readonly firing: Firing;
}

interface ReadWindow {
  readonly end: number;
  readonly readings: readonly Reading[];
}

/** Judges what was read, unless somebody else did so meanwhile or the rule was changed. Says what was told. */
const store = (
  needs: Running,
  alert: Alert,
  model: MonitoredModel,
  {
    targets,
    windows,
    place,
  }: {
    readonly targets: readonly Target[];
    readonly windows: readonly ReadWindow[];
    readonly place: Place;
  },
  evaluatedTo: number,
): Promise<readonly Found[]> =>
  needs.tables.transaction(async (inside) => {
    const there = await lockAlert(inside, alert.alertId);
    if (there?.evaluatedTo !== alert.evaluatedTo || there.updatedAt !== alert.updatedAt) return [];
    const now = needs.clock.now();
    let { states } = there;
    const found: Found[] = [];
    for (const { end, readings } of windows) {
      const judged = judgeWindow(there.rule, states, targets, readings, end);
      states = judged.states;
      for (const one of judged.told) {
        const firing = firingOf(needs, there, model, one, now);
        await storeFiring(inside, firing);
        await storeTelling(needs, inside, there.rule, firing, one.told, place);
        found.push({ told: one.told, firing });
      }
    }
    const dueAt = there.rule.enabled
      ? evaluatedTo + pauseMs(there.rule) + delayMs(there.rule)
      : there.dueAt;
    await inside.upsert('alerts', rowOf({ ...there, states, evaluatedTo, dueAt }));
    return found;
  });

/**
 * Judges the windows of a rule that are due. With `isNow`, those whose delay is not over too, and the one that is not complete yet, as it stands. Says what
 * was found, however it is told.
 */
export const evaluate = async (
  needs: Running,
  alert: Alert,
  model: MonitoredModel,
  signal: AbortSignal,
  isNow = false,
): Promise<readonly Found[]> => {
  const now = needs.clock.now();
  const { rule } = alert;
  const pause = pauseMs(rule);
  const last = isNow ? Math.floor(now / pause) * pause : lastWindowEnd(rule, now);
  const ends = dueEnds(alert, last);
  const { facts, targets } = await prepare(needs, model, rule, signal);
  const windows: ReadWindow[] = [];
  for (const end of isNow ? [...ends, last + pause] : ends) {
    signal.throwIfAborted();
    windows.push({ end, readings: await readWindow(rule, facts, targets, end) });
  }
  const place = await placeOfModel(needs, model);
  return store(needs, alert, model, { targets, windows, place }, Math.max(alert.evaluatedTo, last));
};

/** What a rule would have found in a span of the past, from a state in which all is well. */
export const backTest = async (
  needs: Reads,
  alert: Pick<Alert, 'alertId' | 'modelId' | 'rule'>,
  model: MonitoredModel,
  { from, to }: { readonly from: number; readonly to: number },
  signal: AbortSignal,
): Promise<{ readonly windows: number; readonly told: readonly Found[] }> => {
  const { facts, targets } = await prepare(needs, model, alert.rule, signal);
  const pause = pauseMs(alert.rule);
  const turns = new Turns(signal);
  let states: States = {};
  let windows = 0;
  const told: Found[] = [];
  for (let end = Math.ceil(from / pause) * pause; end <= to; end += pause) {
    await turns.pass();
    const readings = await readWindow(alert.rule, facts, targets, end);
    const judged = judgeWindow(alert.rule, states, targets, readings, end);
    states = judged.states;
    windows++;
    for (const one of judged.told)
      told.push({ told: one.told, firing: firingOf(needs, alert, model, one, end) });
  }
  return { windows, told };
};

const atOnce = 100;
const [everyMs, againMs] = [20_000, 300_000] as const;

const evaluateDue = async (needs: Running, signal: AbortSignal): Promise<void> => {
  const { tables, clock, log } = needs;
  const due = await tables.list(
    'alerts',
    'by_due',
    {},
    { limit: atOnce, until: { due_at: clock.now() } },
  );
  for (const row of due.filter(({ content }) => content !== null)) {
    if (signal.aborted) return;
    const alert = toAlert(row);
    const model = await findModel(tables, alert.modelId);
    if (model === undefined) {
      await tables.remove('alerts', { alert: alert.alertId });
      continue;
    }
    try {
      await evaluate(needs, alert, model, signal);
    } catch (error) {
      if (signal.aborted) return;
      log.warn('an alert of a monitored model could not be evaluated', {
        alert: alert.alertId,
        error,
      });
      await tables.transaction(async (inside) => {
        const there = await lockAlert(inside, alert.alertId);
        if (there !== undefined)
          await inside.upsert('alerts', rowOf({ ...there, dueAt: clock.now() + againMs }));
      });
    }
  }
};

/** Hands what is to be told over to the channels. What was handed over before a stop is not told twice, since it has the same id. */
export const tellDue = async (
  { tables, clock, announcements }: Pick<Running, 'tables' | 'clock' | 'announcements'>,
  signal: AbortSignal,
): Promise<void> => {
  for (let more = true; more && !signal.aborted;) {
    const due = await tables.list(
      'tellings',
      'key',
      {},
      { limit: atOnce, until: { due_at: clock.now() } },
    );
    for (const { due_at: dueAt = 0, telling = '', content } of due) {
      const { announcement, channels } = JSON.parse(String(content)) as {
        readonly announcement: Announcement;
        readonly channels: readonly string[];
      }; // written by storeTelling
      await announcements.announce(announcement, channels);
      await tables.remove('tellings', { due_at: dueAt, telling });
    }
    more = due.length === atOnce;
  }
};

export const alertJob = (needs: Running & Pick<MonitoringNeeds, 'toggles'>): Job => ({
  name: 'monitoring-alerts',
  everyMs,
  async run(signal) {
    if (needs.toggles.isOn(alertToggle)) await evaluateDue(needs, signal);
    await tellDue(needs, signal);
  },
});
