// Compares the thresholds of alerts with what is stored. Each figure is read once in a run, however many alerts ask for it.
import type { Alert } from '#ports/model/alerts';
import type { Buckets } from '#ports/storage/trace-series';
import {
  groupsOf,
  holds,
  isMetric,
  scopeOf,
  type Condition,
  type MetricEventType,
} from './conditions.js';
import { newFiring, type FiringNeeds } from './firing.js';

/** What is read of projects. */
interface Figure {
  readonly what: 'traces' | 'costs' | 'scores' | 'thread-scores';
  readonly name: string | undefined;
}
interface Asked extends Figure {
  readonly windowSeconds: number;
}
const whatOf: Readonly<Record<MetricEventType, Asked['what']>> = {
  'trace:errors': 'traces',
  'trace:latency': 'traces',
  'trace:cost': 'costs',
  'trace:feedback_score': 'scores',
  'trace_thread:feedback_score': 'thread-scores',
};
const askedBy = (eventType: MetricEventType, { windowSeconds, name }: Condition): Asked => {
  const what = whatOf[eventType];
  return { what, windowSeconds, name: what.endsWith('scores') ? name : undefined };
};
const figureKeyOf = ({ what, name = '' }: Figure): string => `${what} ${name}`;
const keyOf = (asked: Asked): string => `${asked.windowSeconds} ${figureKeyOf(asked)}`;

/** What one project adds to a figure. */
interface Part {
  readonly errors: number;
  readonly sum: number;
  readonly count: number;
}
type Parts = ReadonlyMap<string, Part>;

const both = (one: Parts, other: Parts): Parts => {
  const parts = new Map(one);
  for (const [id, { errors, sum, count }] of other) {
    const had = parts.get(id) ?? { errors: 0, sum: 0, count: 0 };
    parts.set(id, { errors: had.errors + errors, sum: had.sum + sum, count: had.count + count });
  }
  return parts;
};

/** An alert's trigger, with all that it takes to judge it. */
interface Rule {
  readonly alert: Alert;
  readonly eventType: MetricEventType;
  readonly groups: readonly (readonly Condition[])[];
  /** `undefined` for every project. */
  readonly scope: ReadonlySet<string> | undefined;
  /** Those of the scope that are there. */
  readonly projectIds: readonly string[];
}

const rulesOf = (alerts: readonly Alert[], projectIds: readonly string[]): readonly Rule[] =>
  alerts.flatMap((alert) =>
    alert.triggers.flatMap((trigger): readonly Rule[] => {
      const { eventType } = trigger;
      const groups = groupsOf(trigger);
      if (!isMetric(eventType) || groups.length === 0) return [];
      const scope = scopeOf(trigger);
      const reached =
        scope === undefined ? projectIds : projectIds.filter((projectId) => scope.has(projectId));
      return [{ alert, eventType, groups, scope, projectIds: reached }];
    }),
  );

const read = async (
  { storage: { stores } }: FiringNeeds,
  { what, name }: Figure,
  projectIds: readonly string[],
  { from, to }: { readonly from: number; readonly to: number },
): Promise<Parts> => {
  const { traceFigures } = stores;
  const buckets: Buckets = { width: to - from, offset: from, from, to };
  if (what === 'traces') {
    const sums = await traceFigures.sumTraces(projectIds, buckets);
    return new Map(
      sums.map(({ projectId, errors, duration: sum, ended: count }) => [
        projectId,
        { errors, sum, count },
      ]),
    );
  }
  if (what === 'costs') {
    const sums = await traceFigures.sumCosts(projectIds, buckets);
    return new Map(
      sums.map(({ projectId, cost: sum }) => [projectId, { errors: 0, sum, count: 1 }]),
    );
  }
  const of = what === 'scores' ? 'trace' : 'thread';
  const sums = await traceFigures.sumScores(projectIds, buckets, name, of);
  return new Map(sums.map(({ projectId, sum, count }) => [projectId, { errors: 0, sum, count }]));
};

/** Figures that one workspace may ask for in a run; what is beyond is not judged. */
const mostFigures = 200;

/** Every figure that the rules ask for, by its key; of projects that any of them reaches. */
const readFigures = async (
  needs: FiringNeeds,
  workspaceId: string,
  rules: readonly Rule[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Parts>> => {
  const wanted = new Map<string, { readonly asked: Asked; readonly projectIds: Set<string> }>();
  for (const { eventType, groups, projectIds } of rules)
    for (const condition of groups.flat()) {
      const asked = askedBy(eventType, condition);
      const one = wanted.get(keyOf(asked)) ?? { asked, projectIds: new Set<string>() };
      for (const id of projectIds) one.projectIds.add(id);
      wanted.set(keyOf(asked), one);
    }
  if (wanted.size > mostFigures)
    needs.log.warn('alerts of a workspace ask for more figures than are read', {
      workspace: workspaceId,
      asked: wanted.size,
      read: mostFigures,
    });
  // Windows all end now, so that a longer one holds a shorter one: nothing is read twice.
  const groups = new Map<string, { readonly asked: Asked; readonly projectIds: Set<string> }[]>();
  for (const one of [...wanted.values()].slice(0, mostFigures)) {
    const key = figureKeyOf(one.asked);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  const figures = new Map<string, Parts>();
  const now = needs.clock.now() * 1000;
  for (const group of groups.values()) {
    const projectIds = [...new Set(group.flatMap((one) => [...one.projectIds]))];
    let [parts, to]: readonly [Parts, number] = [new Map(), now];
    for (const { asked } of group.sort((a, b) => a.asked.windowSeconds - b.asked.windowSeconds)) {
      if (signal.aborted) return figures;
      const from = now - asked.windowSeconds * 1_000_000;
      try {
        if (projectIds.length > 0)
          parts = both(parts, await read(needs, asked, projectIds, { from, to }));
      } catch (error) {
        // A figure that takes too long does not keep others from being judged, but for longer windows of the same.
        needs.log.warn('a figure of alerts could not be read', { workspace: workspaceId, error });
        break;
      }
      figures.set(keyOf(asked), parts);
      to = from;
    }
  }
  return figures;
};

/** The figure of a rule, durations in ms; `undefined` where there is none. */
const figureOf = (
  { eventType, projectIds }: Pick<Rule, 'eventType' | 'projectIds'>,
  parts: Parts | undefined,
): number | undefined => {
  if (parts === undefined) return undefined;
  const own = projectIds.flatMap((id) => parts.get(id) ?? []);
  const [errors, sum, count] = own.reduce<readonly [number, number, number]>(
    (all, part) => [all[0] + part.errors, all[1] + part.sum, all[2] + part.count],
    [0, 0, 0],
  );
  if (eventType === 'trace:errors') return errors;
  if (eventType === 'trace:cost') return sum;
  return count === 0 ? undefined : sum / count;
};

/** A number without the noise of its last digits. */
const shown = (figure: number): string => String(Number(figure.toPrecision(12)));

const eventTypeNames: Readonly<Record<MetricEventType, string>> = {
  'trace:errors': 'TRACE_ERRORS',
  'trace:feedback_score': 'TRACE_FEEDBACK_SCORE',
  'trace_thread:feedback_score': 'TRACE_THREAD_FEEDBACK_SCORE',
  'trace:cost': 'TRACE_COST',
  'trace:latency': 'TRACE_LATENCY',
};

/** The projects of a scope that are still there; of no scope none is named. */
const toldProjects = (
  { scope, projectIds }: Rule,
  names: ReadonlyMap<string, string>,
): { readonly project_ids: string; readonly project_names: string } => {
  const told = scope === undefined ? [] : projectIds;
  return {
    project_ids: told.join(','),
    project_names: told.map((id) => names.get(id) ?? '').join(','),
  };
};

const fire = async (
  { storage, clock, ids }: FiringNeeds,
  rule: Rule,
  held: readonly { readonly condition: Condition; readonly figure: number }[],
  names: ReadonlyMap<string, string>,
  periodMs: number,
): Promise<boolean> => {
  const { alert, eventType } = rule;
  const metadata = held.map(({ condition, figure }) => ({
    event_type: eventTypeNames[eventType],
    metric_name: eventType,
    metric_value: shown(figure),
    threshold: condition.threshold,
    window_seconds: String(condition.windowSeconds),
    ...toldProjects(rule, names),
  }));
  const at = clock.now();
  const firing = newFiring(
    { workspaceId: alert.workspaceId, alertId: alert.id, eventType, id: ids.next(), at },
    { eventIds: metadata.map(() => ids.next()), userNames: ['system'], metadata },
    { value: metadata[0]?.metric_value, threshold: metadata[0]?.threshold },
  );
  return storage.stores.alertFirings.insert(firing, {
    number: Math.floor(at / periodMs),
    since: at - periodMs,
  });
};

const judgeWorkspace = async (
  needs: FiringNeeds,
  workspaceId: string,
  periodMs: number,
  signal: AbortSignal,
): Promise<number> => {
  const { alerts, projects } = needs.storage.stores;
  const enabled = await alerts.listEnabled(workspaceId);
  if (!enabled.some(({ triggers }) => triggers.some(({ eventType }) => isMetric(eventType))))
    return 0;
  const there = await projects.listByWorkspace(workspaceId);
  const names = new Map(there.map(({ id, name }) => [id, name]));
  const rules = rulesOf(enabled, [...names.keys()]);
  const figures = await readFigures(needs, workspaceId, rules, signal);
  let fired = 0;
  for (const rule of rules) {
    if (signal.aborted) break;
    const { eventType, groups } = rule;
    const held = groups
      .map((group) =>
        group.flatMap((condition) => {
          const figure = figureOf(rule, figures.get(keyOf(askedBy(eventType, condition))));
          const compared =
            figure !== undefined && eventType === 'trace:latency' ? figure / 1000 : figure;
          return figure !== undefined && holds(condition, compared) ? [{ condition, figure }] : [];
        }),
      )
      .filter((group, at) => group.length === groups[at]?.length)
      .flat();
    if (held.length > 0 && (await fire(needs, rule, held, names, periodMs))) fired += 1;
  }
  return fired;
};

const workspacesAtOnce = 100;

/** Judges every enabled alert by now; a trigger fires at most once in `periodMs`, whoever judges it. Answers how many fired. */
export const judgeAlerts = async (
  needs: FiringNeeds,
  periodMs: number,
  signal: AbortSignal,
): Promise<number> => {
  let fired = 0;
  for (let after: string | undefined; ;) {
    const ids: readonly string[] = signal.aborted
      ? []
      : await needs.storage.stores.alerts.listWorkspaces(after, workspacesAtOnce);
    for (const id of ids)
      try {
        fired += await judgeWorkspace(needs, id, periodMs, signal);
      } catch (error) {
        // What fails in one workspace does not keep the alerts of the others; the next run judges them again.
        needs.log.warn('alerts of a workspace could not be judged', { workspace: id, error });
      }
    if (ids.length < workspacesAtOnce) return fired;
    after = ids.at(-1);
  }
};
