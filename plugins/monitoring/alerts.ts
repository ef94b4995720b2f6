// Alert rules as they are kept: with how each of their targets stands, and up to which window they were looked at.
import { defineKind } from '#ports/api/kind-definition';
import { kind } from '#ports/api/kind';
import { Failure } from '#ports/failure';
import type { PluginRow, PluginTables } from '#ports/plugin-tables';
import { freshState, type TargetState } from './alert-judging.js';
import { checkTargets } from './alert-reading.js';
import { lastWindowEnd, pauseMs, ruleOf, type AskedRule, type Rule } from './alert-rules.js';
import { findBaseline } from './baselines.js';
import { tryMetric } from './engine-statements.js';
import { fieldsOf, findModel, lockModel, type MonitoredModel } from './models.js';
import type { MonitoringNeeds } from './needs.js';
import { segmentsOf } from './segments.js';

export type States = Readonly<Record<string, TargetState>>;

export interface Alert {
  readonly alertId: string;
  readonly modelId: string;
  readonly rule: Rule;
  /** Of targets that are not as they should be, by name; the others are well. */
  readonly states: States;
  /** The end of the last window that was judged. */
  readonly evaluatedTo: number;
  readonly dueAt: number;
  readonly owner: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}
/** An alert with the model that it watches. */
export interface PlacedAlert extends Alert {
  readonly model: MonitoredModel;
}
export const monitoredAlert = kind<PlacedAlert>()('monitoredAlert');

/** The most rules of one model. */
export const mostAlerts = 200;
/** When a rule that is switched off is looked at. */
const never = Number.MAX_SAFE_INTEGER;

export const toAlert = (row: PluginRow): Alert => ({
  alertId: String(row['alert']),
  modelId: String(row['model_id']),
  rule: JSON.parse(String(row['content'])) as Rule, // written by rowOf
  states: JSON.parse(String(row['states'])) as States, // as above
  evaluatedTo: Number(row['evaluated_to']),
  dueAt: Number(row['due_at']),
  owner: String(row['owner']),
  createdAt: Number(row['made_at']),
  updatedAt: Number(row['changed_at']),
});

export const rowOf = (alert: Alert): PluginRow => ({
  alert: alert.alertId,
  model_id: alert.modelId,
  owner: alert.owner,
  content: JSON.stringify(alert.rule),
  states: JSON.stringify(alert.states),
  due_at: alert.dueAt,
  evaluated_to: alert.evaluatedTo,
  made_at: alert.createdAt,
  changed_at: alert.updatedAt,
});

/** Locks an alert until the transaction ends, and reads it; `undefined` for one that is gone. */
export const lockAlert = async (
  inside: PluginTables,
  alertId: string,
): Promise<Alert | undefined> => {
  await inside.increment('alerts', { alert: alertId }, 'runs', 1);
  const row = await inside.find('alerts', { alert: alertId });
  if (row !== undefined && row['content'] !== null) return toAlert(row);
  await inside.remove('alerts', { alert: alertId }); // locking made a row of one that is gone
  return undefined;
};

const findAlert = async (tables: PluginTables, id: string): Promise<PlacedAlert | undefined> => {
  if (!/^[0-9a-f-]{36}$/.test(id)) return undefined;
  const row = await tables.find('alerts', { alert: id });
  if (row === undefined || row['content'] === null) return undefined;
  const model = await findModel(tables, String(row['model_id']));
  return model && { ...toAlert(row), model };
};

export const alertKind = (tables: PluginTables) =>
  defineKind(monitoredAlert, {
    needs: {},
    rules: () => ({
      find: ({ text }) => findAlert(tables, text),
      idOf: ({ alertId }) => alertId,
      placeOf: ({ model: { workspaceId } }) => ({ workspaceId }),
      absent: (text) => new Failure('absent', `alert ${text.slice(0, 80)} not found`),
    }),
  });

export const alertsOf = async (tables: PluginTables, modelId: string): Promise<readonly Alert[]> =>
  (await tables.list('alerts', 'by_model', { model_id: modelId }, { limit: mostAlerts }))
    .filter(({ content }) => content !== null)
    .map(toAlert);

type Needs = Pick<MonitoringNeeds, 'tables' | 'ids' | 'clock' | 'announcements' | 'analytics'>;

/** Refuses a rule about channels, segments, baselines or fields that are not there, and one of a metric that cannot be run. */
const checkRule = async (
  needs: Needs,
  model: MonitoredModel,
  rule: Rule,
  before?: Rule,
): Promise<void> => {
  const { tables, announcements } = needs;
  if (rule.channels.length > 0) {
    const known = new Set((await announcements.channels(model.workspaceId)).map(({ id }) => id));
    const missing = rule.channels.find((id) => !known.has(id));
    if (missing !== undefined)
      throw new Failure('invalid', `the workspace has no channel ${missing.slice(0, 80)}`);
  }
  if (rule.segments.length > 0) {
    const known = new Set((await segmentsOf(tables, model.id)).map(({ segmentId }) => segmentId));
    const missing = rule.segments.find((id) => !known.has(id));
    if (missing !== undefined)
      throw new Failure('invalid', `the model has no segment ${missing.slice(0, 80)}`);
  }
  if (rule.baselineId !== null) await findBaseline(needs, model, rule.baselineId, undefined);
  const fields = await fieldsOf(tables, model.id);
  checkTargets(rule, fields);
  // Whoever mutes a rule needs no engine.
  const isSame = before?.type === rule.type && before.metric === rule.metric;
  if (rule.type === 'CUSTOM_METRIC' && !isSame)
    await tryMetric(needs, rule.metric ?? '', model, fields);
};

/** From where on a rule looks at windows: the last one that is complete. */
const beginning = (rule: Rule, now: number) => ({
  evaluatedTo: lastWindowEnd(rule, now) - pauseMs(rule),
  dueAt: rule.enabled ? now : never,
});

export const createAlert = async (
  needs: Needs,
  model: MonitoredModel,
  owner: string,
  asked: AskedRule,
): Promise<Alert> => {
  const { tables, ids, clock } = needs;
  const rule = ruleOf(asked);
  await checkRule(needs, model, rule);
  const now = clock.now();
  const alert: Alert = {
    alertId: ids.next(),
    modelId: model.id,
    rule,
    states: {},
    ...beginning(rule, now),
    owner,
    createdAt: now,
    updatedAt: now,
  };
  await tables.transaction(async (inside) => {
    await lockModel(inside, model.id);
    if ((await alertsOf(inside, model.id)).length >= mostAlerts)
      throw new Failure('invalid', `a model has at most ${mostAlerts} alerts`);
    await inside.insert('alerts', rowOf(alert));
  });
  return alert;
};

/** What of a rule says whom it tells and how, and not what it finds. */
const manner: readonly (keyof Rule)[] = [
  'name',
  'description',
  'enabled',
  'remind',
  'channels',
  'muteUntil',
  'quietHours',
];
const substanceOf = (rule: Rule): string =>
  JSON.stringify(
    Object.entries(rule).filter(([name]) => !(manner as readonly string[]).includes(name)),
  ); // a closed list as one of texts

/** Changes a rule. One that looks at something else than before begins anew, as does one that is switched on. */
export const changeAlert = async (
  needs: Needs,
  alert: PlacedAlert,
  asked: (before: Rule) => AskedRule,
): Promise<Alert> => {
  await checkRule(needs, alert.model, ruleOf(asked(alert.rule)), alert.rule);
  return needs.tables.transaction(async (inside) => {
    const before = await lockAlert(inside, alert.alertId);
    if (before === undefined) throw new Failure('absent', `alert ${alert.alertId} not found`);
    const rule = ruleOf(asked(before.rule));
    const isOther = substanceOf(rule) !== substanceOf(before.rule);
    const begins = isOther || rule.enabled !== before.rule.enabled;
    const now = needs.clock.now();
    const after: Alert = {
      ...before,
      rule,
      states: isOther ? {} : before.states,
      ...(begins ? beginning(rule, now) : {}),
      updatedAt: now,
    };
    await inside.upsert('alerts', rowOf(after));
    return after;
  });
};

export const removeAlert = async (
  { tables }: Pick<MonitoringNeeds, 'tables'>,
  { alertId }: Alert,
): Promise<void> => {
  await tables.remove('alerts', { alert: alertId });
};

export const stateIn = (states: States, name: string): TargetState =>
  Object.hasOwn(states, name) ? (states[name] ?? freshState) : freshState;
