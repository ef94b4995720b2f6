// The segments of a model: named filters, with how many events pass each.
import { spark } from './drawing.js';
import { h, shown, table } from './elements.js';
import { askedOf, doing, labelled, later, type Shown } from './shown.js';

const making = (of: Shown, told: HTMLElement): HTMLElement => {
  const { ask, model } = of;
  const [name, filter] = [
    h('input', { id: 'mon-segment', required: true, maxlength: 100 }),
    h('input', {
      id: 'mon-filter',
      required: true,
      maxlength: 4000,
      placeholder: "country = 'NL' AND age >= 30",
    }),
  ];
  const submit = (event: Event) => {
    event.preventDefault();
    const asked = { modelId: model.modelId, name: name.value, filter: filter.value };
    doing(of, told)(ask.createSegment(asked), 'naming the segment …');
  };
  return h(
    'form',
    { submit, 'aria-label': 'A new segment' },
    labelled('mon-segment', 'Name of a segment', name),
    labelled('mon-filter', 'Its events', filter),
    h('button', { type: 'submit' }, 'Name it'),
  );
};

export const segments = (of: Shown): HTMLElement => {
  const { ask, model, mayWrite } = of;
  const told = h('p', { role: 'status' });
  return h(
    'div',
    {},
    told,
    later(
      ask.segments({ modelId: model.modelId }).then(async ({ segments: all }) => {
        if (all.length === 0)
          return h(
            'p',
            { class: 'empty' },
            "No segment is named yet. A segment is a filter of events, such as country = 'NL'.",
          );
        const predicates = all.map(({ segmentId }) => ({ key: segmentId, segmentId }));
        const { data } = await ask.volume({ ...askedOf(of), predicates });
        const valuesOf = (key: string) =>
          (data.find(({ predicateKey }) => predicateKey === key)?.data ?? []).map(({ y }) => y);
        return table(
          'Segments',
          ['Segment', 'Filter', 'Events by day', 'Events', 'Remove'],
          all.map(({ segmentId, name, filter }) => [
            name,
            h('code', {}, filter),
            spark(`events of ${name}`, valuesOf(segmentId)),
            shown(valuesOf(segmentId).reduce<number>((sum, y) => sum + (y ?? 0), 0)),
            mayWrite
              ? h(
                  'button',
                  {
                    type: 'button',
                    'aria-label': `Remove ${name}`,
                    click: () =>
                      doing(of, told)(ask.deleteSegment(segmentId), 'removing the segment …'),
                  },
                  'Remove',
                )
              : undefined,
          ]),
        );
      }),
    ),
    mayWrite ? making(of, told) : undefined,
  );
};
