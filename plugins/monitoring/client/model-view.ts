// One monitored model: its features beside the baseline, performance, segments, alerts, errors, lineage and files.
import type { Asker, ReplyTo } from './asking.js';
import { lines, sideBySide, spark } from './drawing.js';
import { choice, h, moment, percent, searchForm, shown, table } from './elements.js';
import { saysOf } from './models-view.js';
import { baselines } from './baselines-view.js';
import { spans, tabs, type Tab } from './place.js';
import { metrics } from './metrics-view.js';
import { segments } from './segments-view.js';
import { askedOf, dayOf, doing, labelled, later, type Shown } from './shown.js';

/** Fields of which the drift is asked at once: a model may have ten thousand. */
const fieldsAtOnce = 50;

const features = (of: Shown): HTMLElement => {
  const { ask, model, place, open } = of;
  if (place.field !== undefined) return feature(of, place.field);
  const search = place.search ?? '';
  const all = model.model.features;
  const found = all.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()));
  const fields = found.slice(0, fieldsAtOnce);
  if (all.length === 0)
    return h('p', { class: 'empty' }, 'No event of this model had a feature yet.');
  return h(
    'div',
    {},
    later(
      ask.volume(askedOf(of)).then(({ data }) =>
        lines(
          'Events by day',
          (data[0]?.data ?? []).map(({ x }) => dayOf(x)),
          [{ name: 'events', style: 'main', values: (data[0]?.data ?? []).map(({ y }) => y) }],
        ),
      ),
    ),
    all.length > fieldsAtOnce
      ? searchForm('Find fields by name', search, (text) => open({ search: text }))
      : undefined,
    table(
      `${fields.length < found.length ? `The first ${fields.length} of ${found.length} features` : 'Features'} and predictions, with how far each is from the baseline`,
      ['Field', 'Kind', 'Drift (PSI) by day', 'Last', 'Drifted'],
      fields.map(({ name, type, source }) => {
        const drift = ask.drift({ ...askedOf(of), name, source, algorithmType: 'PSI' });
        const points = drift.then(({ data }) => data[0]?.data ?? []);
        const last = points.then((all) => all.findLast(({ y }) => y !== null));
        return [
          h(
            'button',
            { type: 'button', class: 'mon-link', click: () => open({ field: name }) },
            name,
          ),
          source === 'model_output_features'
            ? 'prediction'
            : type === 'NUMERICAL'
              ? 'number'
              : 'category',
          later(
            points.then((all) =>
              spark(
                `drift of ${name}`,
                all.map(({ y }) => y),
              ),
            ),
          ),
          later(last.then((one) => shown(one?.y))),
          later(
            last.then((one) =>
              one === undefined
                ? 'no baseline or value'
                : one.significant
                  ? h('span', { class: 'fault' }, 'beyond chance')
                  : h('span', { class: 'good' }, 'within chance'),
            ),
          ),
        ];
      }),
    ),
  );
};

const nameOfBin = ({ text, from, to }: ReplyTo<'compareField'>['bins'][number]): string =>
  text ?? (from === null && to === null ? 'others' : `${shown(from)} to ${shown(to)}`);

const feature = (of: Shown, name: string): HTMLElement => {
  const { ask, model, open } = of;
  const source = model.model.features.find((one) => one.name === name)?.source;
  const asked = { ...askedOf(of), name, ...(source === undefined ? {} : { source }) };
  return h(
    'section',
    { 'aria-label': name },
    h(
      'p',
      {},
      h(
        'button',
        { type: 'button', class: 'mon-link', click: () => open({ field: undefined }) },
        '← all features',
      ),
    ),
    h('h3', {}, name),
    later(
      ask.comparison(asked).then(({ bins, baseline, baselineCount, currentCount }) =>
        h(
          'div',
          {},
          sideBySide(
            'Values',
            bins.map((bin) => ({
              name: nameOfBin(bin),
              current: bin.current,
              baseline: bin.baseline,
            })),
          ),
          h(
            'p',
            { class: 'faint' },
            baseline === null
              ? 'There is no baseline yet: upload a training set, or wait for a week with a thousand events.'
              : `${shown(currentCount)} values now, ${shown(baselineCount)} in the baseline (${baseline.datasetName ?? baseline.kind}).`,
          ),
        ),
      ),
    ),
    h(
      'div',
      { class: 'mon-figures' },
      ...(['PSI', 'JS', 'KS'] as const).map((algorithmType) =>
        later(
          ask.drift({ ...asked, algorithmType }).then(({ data }) => {
            const points = data[0]?.data ?? [];
            return lines(
              `Drift by ${algorithmType}; dashed: what chance alone explains`,
              points.map(({ x }) => dayOf(x)),
              [
                { name: 'drift', style: 'main', values: points.map(({ y }) => y) },
                {
                  name: 'chance',
                  style: 'bound',
                  values: points.map(({ noiseFloor95 }) => noiseFloor95),
                },
              ],
            );
          }),
        ),
      ),
      later(
        ask.quality({ ...askedOf(of), name }).then(({ features: found }) => {
          const points = found[0]?.points ?? [];
          return lines(
            'Share of missing values',
            points.map(({ x }) => dayOf(x)),
            [
              {
                name: 'missing',
                style: 'main',
                values: points.map(({ missingRate }) => missingRate),
              },
            ],
          );
        }),
      ),
    ),
  );
};

const performance = (of: Shown): HTMLElement =>
  later(
    of.ask.performance(askedOf(of)).then(({ task, points, whole, predictionName, labelName }) => {
      const buckets = points.map(({ x }) => dayOf(x));
      const names = Object.keys(whole.measures);
      return h(
        'div',
        {},
        h(
          'p',
          {},
          `${predictionName ?? 'predictions'} against ${labelName ?? 'labels'} (${task}): ${shown(whole.labelled)} of ${shown(whole.events)} events have their label, `,
          percent(whole.labelCoverage),
          '.',
        ),
        names.length === 0
          ? h('p', { class: 'empty' }, 'No event of this span has its label yet.')
          : table(
              'Over the whole span',
              ['Measure', 'Value'],
              names.map((name) => [name, shown(whole.measures[name])]),
            ),
        h(
          'div',
          { class: 'mon-figures' },
          lines('Label coverage by day', buckets, [
            {
              name: 'coverage',
              style: 'main',
              values: points.map(({ labelCoverage }) => labelCoverage),
            },
          ]),
          ...names.slice(0, 6).map((name) =>
            lines(`${name} by day`, buckets, [
              {
                name,
                style: 'main',
                values: points.map(({ measures }) => measures[name] ?? null),
              },
            ]),
          ),
        ),
      );
    }),
  );

const hourMs = 3_600_000;

const alerts = (of: Shown): HTMLElement => {
  const { ask, model, mayWrite } = of;
  const told = h('p', { role: 'status' });
  const does = doing(of, told);
  const watch = (type: string, name: string) =>
    h(
      'button',
      {
        type: 'button',
        click: () =>
          does(ask.createAlert({ modelId: model.modelId, type, name }), 'making the alert …'),
      },
      name,
    );
  const preview = (id: string, place: HTMLElement) => {
    ask.preview(id).then(
      ({ firings, windows }) =>
        place.replaceChildren(`in the last week ${firings} of ${windows} windows would have told`),
      (thrown: unknown) => place.replaceChildren(saysOf(thrown)),
    );
  };
  return h(
    'div',
    {},
    told,
    mayWrite
      ? h(
          'p',
          { class: 'mon-bar' },
          'Watch ',
          watch('MODEL_DRIFT', 'drift of the model'),
          watch('SILENCE', 'silence'),
          watch('INGESTION_ERRORS', 'ingestion errors'),
        )
      : undefined,
    later(
      ask.alerts({ modelId: model.modelId }).then(({ alerts: all }) =>
        all.length === 0
          ? h('p', { class: 'empty' }, 'Nothing watches this model yet.')
          : table(
              'Alerts',
              ['Alert', 'Watches', 'Stands', 'On past data', 'Mute'],
              all.map(({ alertId, name, type, state, muteUntil, target }) => {
                const past = h('span', {});
                const muted = muteUntil !== null && muteUntil > Date.now();
                past.append(
                  h('button', { type: 'button', click: () => preview(alertId, past) }, 'Preview'),
                );
                return [
                  name,
                  `${type.toLowerCase().replaceAll('_', ' ')}${target.length === 0 ? '' : ` of ${target.join(', ')}`}`,
                  h(
                    'span',
                    { class: state === 'FIRING' ? 'fault' : state === 'OK' ? 'good' : 'faint' },
                    muted ? `muted until ${moment(muteUntil)}` : state.toLowerCase(),
                  ),
                  past,
                  mayWrite
                    ? h(
                        'button',
                        {
                          type: 'button',
                          click: () =>
                            does(
                              ask.mute(alertId, muted ? undefined : Date.now() + 24 * hourMs),
                              'changing the alert …',
                            ),
                        },
                        muted ? 'Unmute' : 'Mute for a day',
                      )
                    : undefined,
                ];
              }),
            ),
      ),
    ),
    later(
      ask.firings({ modelId: model.modelId, pageSize: 100 }).then(({ notifications, total }) =>
        total === 0
          ? h('p', { class: 'faint' }, 'No alert has found anything.')
          : table(
              'What alerts found, the newest first',
              ['Began (UTC)', 'Alert', 'State', 'What', 'Value', 'Threshold', 'Told'],
              notifications.map((one) => [
                moment(one.startedAt),
                one.alertName,
                one.state.toLowerCase(),
                one.feature ?? one.segment ?? one.version ?? '',
                shown(one.value),
                shown(one.threshold),
                one.deliveries.map(({ channel, status }) => `${channel}: ${status}`).join(', ') ||
                  'nobody',
              ]),
            ),
      ),
    ),
  );
};

/** Predictions that are named, of all that a row is about. */
const mostNamed = 3;
const about = (predictionIds: readonly string[], times: number): string => {
  const named = predictionIds.slice(0, mostNamed);
  const others = times - named.length;
  if (named.length === 0) return times === 1 ? '' : `${times} items`;
  return others > 0 ? `${named.join(', ')} and ${others} more` : named.join(', ');
};

const errors = ({ ask, model }: Shown): HTMLElement =>
  later(
    ask.errors({ modelId: model.modelId, pageSize: 200 }).then(({ errors: all, counts, total }) =>
      total === 0
        ? h('p', { class: 'empty' }, 'Nothing was refused or doubted in the last week.')
        : h(
            'div',
            {},
            h(
              'p',
              {},
              Object.entries(counts)
                .map(([reason, n]) => `${reason.toLowerCase().replaceAll('_', ' ')}: ${n}`)
                .join(', '),
            ),
            table(
              `The newest ${all.length} of ${total}`,
              ['When (UTC)', 'Prediction', 'Field', 'Reason', 'What was wrong'],
              all.map((one) => [
                moment(one.timestamp),
                about(one.predictionIds, one.times),
                one.field ?? '',
                one.reason.toLowerCase().replaceAll('_', ' '),
                one.message,
              ]),
            ),
          ),
    ),
  );

const lineage = ({ ask, model, workspace, base }: Shown): HTMLElement =>
  later(
    ask.lineage({ modelId: model.modelId }).then(({ versions, registryModelName }) =>
      versions.length === 0
        ? h('p', { class: 'empty' }, 'No version of this model has sent an event.')
        : table(
            'Where the versions came from',
            ['Version', 'Registered', 'Run', 'Behind it'],
            versions.map(({ version, registered }) => [
              version,
              registered === null
                ? `not in the registry as ${registryModelName}`
                : h(
                    'a',
                    {
                      href: `${base}/w/${encodeURIComponent(workspace)}/model/${encodeURIComponent(registryModelName)}/${encodeURIComponent(version)}`,
                    },
                    `${registryModelName} ${version}${registered.status === '' ? '' : `, ${registered.status}`}`,
                  ),
              registered === null ? '' : h('code', {}, registered.experimentKey),
              registered === null ? '' : `${Math.max(0, registered.nodes.length - 1)} things`,
            ]),
          ),
    ),
  );

const files = [
  ['events', '/mpm/v2/data/events/csv'],
  ['labels', '/mpm/v2/data/labels/csv'],
  ['a training set', '/mpm/v2/dataset/events/csv'],
] as const;

const upload = ({ ask, workspace, model, mayWrite }: Shown): HTMLElement => {
  if (!mayWrite) return h('p', { class: 'empty' }, 'Who may only look cannot upload files.');
  const [kind, version, name, file, told] = [
    h('select', { id: 'mon-kind' }, ...files.map(([what], at) => h('option', { value: at }, what))),
    h('input', { id: 'mon-version', value: '1.0.0', required: true }),
    h('input', { id: 'mon-name', value: 'training' }),
    h('input', { id: 'mon-file', type: 'file', accept: '.csv,text/csv', required: true }),
    h('p', { role: 'status' }),
  ];
  const send = (event: Event) => {
    event.preventDefault();
    const [what, path] = files[Number(kind.value)] ?? files[0];
    const chosen = file.files?.[0];
    if (chosen === undefined) return;
    const form = new FormData();
    form.append('workspaceName', workspace);
    form.append('modelName', model.name);
    form.append('modelVersion', version.value);
    if (what === 'a training set') form.append('datasetName', name.value);
    form.append('file', chosen);
    told.replaceChildren(`uploading ${chosen.name} …`);
    ask.upload(path, form).then(
      () => told.replaceChildren(h('span', { class: 'good' }, `${chosen.name} is stored.`)),
      (thrown: unknown) => told.replaceChildren(h('span', { class: 'fault' }, saysOf(thrown))),
    );
  };
  return h(
    'form',
    { submit: send },
    labelled('mon-kind', 'A CSV file of', kind),
    labelled('mon-version', 'Version of the model', version),
    labelled('mon-name', 'Name, of a training set', name),
    labelled('mon-file', 'File', file),
    h('button', { type: 'submit' }, 'Upload'),
    told,
  );
};

const views: Readonly<Record<Tab, (of: Shown) => HTMLElement>> = {
  features,
  performance,
  metrics,
  segments,
  baselines,
  alerts,
  errors,
  lineage,
  upload,
};

export const showModel = async (
  ask: Asker,
  {
    workspace,
    base,
    place,
    mayWrite,
    open,
  }: Pick<Shown, 'workspace' | 'base' | 'place' | 'mayWrite' | 'open'>,
  id: string,
): Promise<HTMLElement> => {
  const model = await ask.model(id);
  const version = h(
    'select',
    {
      'aria-label': 'Version',
      change: (event) =>
        open({ version: (event.currentTarget as HTMLSelectElement).value || undefined }),
    }, // the element itself
    h('option', { value: '' }, 'all versions'),
    ...model.versions.map((one) =>
      h('option', { value: one, selected: one === place.version }, one),
    ),
  );
  return h(
    'div',
    {},
    h(
      'p',
      {},
      h(
        'button',
        {
          type: 'button',
          class: 'mon-link',
          click: () =>
            open({
              model: undefined,
              field: undefined,
              version: undefined,
              search: undefined,
              sql: undefined,
              tab: 'features',
            }),
        },
        '← all models',
      ),
    ),
    h('h2', {}, model.name),
    h(
      'p',
      { class: 'faint' },
      `${shown(model.events)} events, the last at ${moment(model.lastEventAt)} UTC`,
    ),
    h(
      'div',
      { class: 'mon-bar' },
      choice('Part', tabs, place.tab, (tab) => open({ tab, field: undefined })),
      choice(
        'Days',
        spans,
        place.days,
        (days) => open({ days }),
        (days) => `${days} days`,
      ),
      version,
    ),
    views[place.tab]({ ask, workspace, base, place, model, mayWrite, open }),
  );
};
