// The baselines of a model: what its events are compared with, and which one is the usual one.
import type { ReplyTo } from './asking.js';
import { h, moment, shown, table } from './elements.js';
import { doing, labelled, later, type Shown } from './shown.js';

type Baseline = ReplyTo<'listBaselines'>['baselines'][number];

const kinds: Readonly<Record<Baseline['kind'], string>> = {
  training: 'a training set',
  window: 'a span of the past',
  version: 'a span of one version',
  moving: 'days that move along',
  artifact: 'a file of an artifact',
  complement: 'all but a segment',
};
const madeOf = ({ kind, registryVersion }: Baseline): string =>
  registryVersion === null ? kinds[kind] : `${makeable.registered} ${registryVersion}`;
const spanOf = ({ from, to, movingDays, gapDays }: Baseline): string =>
  movingDays === null
    ? from === null
      ? ''
      : `${from.slice(0, 10)} to ${(to ?? '').slice(0, 10)}`
    : `${movingDays} days, ${gapDays ?? 0} before each`;

/** What can be made here, with what each asks for. */
const makeable = {
  window: kinds.window,
  moving: kinds.moving,
  complement: kinds.complement,
  artifact: kinds.artifact,
  registered: 'a file of the registered version',
} as const;
type Makeable = keyof typeof makeable;
const isMakeable = (word: string): word is Makeable => Object.hasOwn(makeable, word);

const making = (of: Shown, told: HTMLElement): HTMLElement => {
  const { ask, model } = of;
  const [kind, name, from, to, days, segment, artifact, registered, file] = [
    h(
      'select',
      { id: 'mon-base' },
      ...Object.entries(makeable).map(([value, says]) => h('option', { value }, says)),
    ),
    h('input', { id: 'mon-base-name', maxlength: 256 }),
    h('input', { id: 'mon-base-from', type: 'date' }),
    h('input', { id: 'mon-base-to', type: 'date' }),
    h('input', { id: 'mon-base-days', type: 'number', min: 1, max: 365, value: 7 }),
    h('select', { id: 'mon-base-segment' }),
    h('input', { id: 'mon-base-artifact' }),
    h('input', { id: 'mon-base-registered', placeholder: '1.0.0' }),
    h('input', { id: 'mon-base-file', placeholder: 'its only CSV file' }),
  ];
  ask.segments({ modelId: model.modelId }).then(
    ({ segments }) =>
      segment.replaceChildren(
        ...segments.map(({ segmentId, name: says }) => h('option', { value: segmentId }, says)),
      ),
    () => undefined, // without segments there is no complement to choose
  );
  const partsOf: Readonly<Record<Makeable, readonly HTMLElement[]>> = {
    window: [labelled('mon-base-from', 'From', from), labelled('mon-base-to', 'To', to)],
    moving: [labelled('mon-base-days', 'Days', days)],
    complement: [labelled('mon-base-segment', 'Segment', segment)],
    artifact: [
      labelled('mon-base-artifact', 'Id of the version', artifact),
      labelled('mon-base-file', 'File', file),
    ],
    registered: [
      labelled('mon-base-registered', 'Registered version', registered),
      labelled('mon-base-file', 'File', file),
    ],
  };
  const chosen = (): Makeable => (isMakeable(kind.value) ? kind.value : 'window');
  const place = h('div', {});
  const show = () => {
    const parts = partsOf[chosen()];
    place.replaceChildren(...(chosen() === 'complement' ? partsOf.window : []), ...parts);
  };
  kind.addEventListener('change', show);
  show();
  const submit = (event: Event) => {
    event.preventDefault();
    const span = { from: from.value, to: to.value };
    const ofFile = file.value === '' ? {} : { fileName: file.value };
    const made = chosen();
    const asked = {
      window: span,
      moving: { movingDays: Number(days.value) },
      complement: { ...span, segmentId: segment.value },
      artifact: { artifactVersionId: artifact.value, ...ofFile },
      registered: { registryVersion: registered.value, ...ofFile },
    }[made];
    const named = name.value === '' ? {} : { name: name.value };
    doing(of, told)(
      ask.createBaseline({
        ...{ modelId: model.modelId, kind: made === 'registered' ? 'artifact' : made },
        ...named,
        ...asked,
      }),
      'making the baseline …',
    );
  };
  return h(
    'form',
    { submit, 'aria-label': 'A new baseline' },
    labelled('mon-base', 'A baseline of', kind),
    place,
    labelled('mon-base-name', 'Its name', name),
    h('button', { type: 'submit' }, 'Make it'),
  );
};

export const baselines = (of: Shown): HTMLElement => {
  const { ask, model, mayWrite } = of;
  const { modelId } = model;
  const told = h('p', { role: 'status' });
  const does = doing(of, told);
  const buttons = ({ baselineId, isDefault }: Baseline) =>
    h(
      'span',
      { class: 'mon-bar' },
      h(
        'button',
        {
          type: 'button',
          click: () =>
            does(
              ask.changeBaseline(baselineId, { modelId, isDefault: !isDefault }),
              'changing the baseline …',
            ),
        },
        isDefault ? 'No longer the usual one' : 'Make it the usual one',
      ),
      h(
        'button',
        {
          type: 'button',
          click: () => does(ask.deleteBaseline(baselineId, modelId), 'removing the baseline …'),
        },
        'Remove',
      ),
    );
  return h(
    'div',
    {},
    told,
    later(
      ask.baselines({ modelId }).then(({ baselines: all, default: usual }) =>
        h(
          'div',
          {},
          h(
            'p',
            {},
            usual === null
              ? 'Nothing is compared yet: upload a training set, or wait for a week with a thousand events.'
              : `Compared with ${usual.datasetName ?? kinds[usual.kind]}${usual.from === null ? '' : `, ${spanOf(usual)}`}.`,
          ),
          all.length === 0
            ? h('p', { class: 'empty' }, 'No baseline was made or uploaded yet.')
            : table(
                'Baselines',
                ['Baseline', 'Made of', 'Days', 'Events', 'Made (UTC)', 'Change'],
                all.map((one) => [
                  `${one.datasetName ?? one.baselineId.slice(0, 8)}${one.isDefault ? ', the usual one' : ''}`,
                  `${madeOf(one)}${one.filter === null ? '' : ` (${one.filter})`}`,
                  spanOf(one),
                  one.kind === 'moving' ? '' : shown(one.sampleCount),
                  moment(one.createdAt),
                  mayWrite ? buttons(one) : undefined,
                ]),
              ),
        ),
      ),
    ),
    mayWrite ? making(of, told) : undefined,
  );
};
