// All monitored models of a workspace with their health at a glance.
import type { Asker, ReplyTo } from './asking.js';
import { spark } from './drawing.js';
import { againButton, h, moment, searchForm, shown, table } from './elements.js';
import { spanOf, type Place } from './place.js';

type Model = ReplyTo<'searchMonitoredModels'>['models'][number];
const pageSize = 50;
const dayMs = 86_400_000;

/** The worst state among alerts, in the words of people. */
const healthOf = (
  alerts: ReplyTo<'listMonitoringAlerts'>['alerts'],
  model: Model,
  now: number,
): readonly [tone: string, says: string] => {
  const firing = alerts.filter(({ state }) => state === 'FIRING').length;
  if (firing > 0) return ['fault', `${firing} ${firing === 1 ? 'alert fires' : 'alerts fire'}`];
  if (model.lastEventAt === null) return ['faint', 'no event yet'];
  if (now - model.lastEventAt > dayMs) return ['fault', 'silent for over a day'];
  return alerts.length === 0 ? ['faint', 'events come, nothing watches'] : ['good', 'well'];
};

/** How the features of a model drift, in the words of people. */
const driftOf = ({
  compared,
  drifted,
  worst,
}: ReplyTo<'glanceAtDrift'>): readonly [tone: string, says: string] => {
  if (compared === 0) return ['faint', 'nothing to compare yet'];
  if (worst === null) return ['good', `none of ${compared}`];
  return ['fault', `${drifted} of ${compared}, most of all ${worst.name}`];
};

/** Says in the place of a figure why it did not come. */
const missing =
  (place: HTMLElement) =>
  (thrown: unknown): void =>
    place.replaceChildren(saysOf(thrown), ' ', againButton());

/** One row of the table; what is asked of one model is shown when it has come, and what failed says so. */
const rowOf = (ask: Asker, model: Model, now: number, open: (place: Partial<Place>) => void) => {
  const later = () => h('span', {}, '…');
  const [volume, health, drift, errors] = [later(), later(), later(), later()];
  const { modelId } = model;
  const span = spanOf({ tab: 'features', days: '7' }, now);
  ask.volume({ modelId, ...span }).then(({ data }) => {
    const values = (data[0]?.data ?? []).map(({ y }) => y);
    volume.replaceChildren(
      spark(`events of ${model.modelName} by day`, values),
      ` ${shown(values.reduce<number>((sum, y) => sum + (y ?? 0), 0))}`,
    );
  }, missing(volume));
  ask.alerts({ modelId }).then(({ alerts }) => {
    const [tone, says] = healthOf(alerts, model, now);
    health.replaceChildren(h('span', { class: tone }, says));
  }, missing(health));
  ask.glance({ modelId }).then((found) => {
    const [tone, says] = driftOf(found);
    drift.replaceChildren(h('span', { class: tone }, says));
  }, missing(drift));
  ask
    .errors({ modelId, pageSize: 1 })
    .then(({ total }) => errors.replaceChildren(shown(total)), missing(errors));
  const name = h(
    'button',
    {
      type: 'button',
      class: 'mon-link',
      click: () => open({ model: modelId, tab: 'features', search: undefined }),
    },
    model.modelName,
  );
  return [
    name,
    health,
    drift,
    volume,
    moment(model.lastEventAt),
    shown(model.features),
    errors,
  ] as const;
};

export const saysOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);

export const showModels = async (
  ask: Asker,
  workspace: string,
  place: Place,
  open: (place: Partial<Place>) => void,
): Promise<HTMLElement> => {
  const { search } = place;
  const { models, total } = await ask.models({
    workspaceName: workspace,
    pageSize,
    ...(search === undefined ? {} : { search }),
  });
  const find = searchForm('Find models by name', search ?? '', (text) => open({ search: text }));
  const now = Date.now();
  if (models.length === 0 && search === undefined)
    return h(
      'div',
      {},
      h('p', { class: 'empty' }, 'No model is monitored here yet. The first event makes one:'),
      h(
        'pre',
        {},
        'from comet_mpm import CometMPM\nmpm = CometMPM(workspace_name="…", model_name="churn", model_version="1.0.0")\nmpm.log_event(prediction_id="1", input_features={"age": 41}, output_value="stays")\nmpm.end()',
      ),
    );
  return h(
    'div',
    {},
    find,
    models.length === 0
      ? h('p', { class: 'empty' }, `No model has ${search ?? ''} in its name.`)
      : table(
          models.length < total
            ? `The first ${models.length} of ${total} models: narrow them by name`
            : `${total} ${total === 1 ? 'model' : 'models'}`,
          [
            'Model',
            'Health',
            'Features that drift',
            'Events of 7 days',
            'Last event (UTC)',
            'Features',
            'Refused or doubted',
          ],
          models.map((model) => rowOf(ask, model, now, open)),
        ),
  );
};
