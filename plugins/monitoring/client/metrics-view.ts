// A metric in SQL by day, which may be watched.
import { lines } from './drawing.js';
import { h } from './elements.js';
import { askedOf, dayOf, doing, labelled, later, type Shown } from './shown.js';

const usual = 'SELECT avg(prediction_probability) FROM model';
const mostName = 100;

/** Makes an alert that is told of days beyond a number. */
const watching = (of: Shown, sql: string): HTMLElement => {
  const { ask, model } = of;
  const told = h('p', { role: 'status' });
  const [comparator, bound] = [
    h(
      'select',
      { id: 'mon-compared' },
      h('option', { value: 'above' }, 'above'),
      h('option', { value: 'below' }, 'below'),
    ),
    h('input', { id: 'mon-bound', type: 'number', step: 'any', required: true }),
  ];
  const submit = (event: Event) => {
    event.preventDefault();
    const rule = { name: sql.trim().slice(0, mostName), type: 'CUSTOM_METRIC', metric: sql };
    const limits = { comparator: comparator.value, critical: Number(bound.value) };
    doing(of, told)(
      ask
        .createAlert({ modelId: model.modelId, ...rule, ...limits, minSamples: 1 })
        .then(() => of.open({ tab: 'alerts' })),
      'making the alert …',
    );
  };
  return h(
    'form',
    { submit, 'aria-label': 'An alert on this metric' },
    h(
      'div',
      { class: 'mon-bar' },
      labelled('mon-compared', 'Tell when 24 hours are', comparator),
      labelled('mon-bound', 'Number', bound),
      h('button', { type: 'submit' }, 'Watch it'),
    ),
    told,
  );
};

const chart = (of: Shown, cometSql: string): HTMLElement =>
  later(
    of.ask.metric({ ...askedOf(of), cometSql }).then(({ data }) => {
      const points = data[0]?.data ?? [];
      return h(
        'div',
        {},
        lines(
          'The metric by day',
          points.map(({ x }) => dayOf(x)),
          [{ name: 'metric', style: 'main', values: points.map(({ y }) => y) }],
        ),
        of.mayWrite ? watching(of, cometSql) : undefined,
      );
    }),
  );

export const metrics = (of: Shown): HTMLElement => {
  const { model, place, open } = of;
  const sql = h(
    'textarea',
    { id: 'mon-sql', class: 'mon-sql', rows: 4, required: true, spellcheck: 'false' },
    place.sql ?? usual,
  );
  const submit = (event: Event) => {
    event.preventDefault();
    open({ sql: sql.value });
  };
  const named = model.model.features
    .slice(0, 6)
    .map(({ name, source }) =>
      source === 'model_output_features' ? `prediction_${name}` : `feature_${name}`,
    );
  return h(
    'div',
    {},
    h(
      'form',
      { submit, 'aria-label': 'A metric in SQL' },
      labelled('mon-sql', 'One value of the events of a day', sql),
      h(
        'p',
        { class: 'faint' },
        `Columns of the table model: ${[...named, 'timestamp', 'model_version'].join(', ')} and others.`,
      ),
      h('button', { type: 'submit' }, 'Show it'),
    ),
    place.sql === undefined ? undefined : chart(of, place.sql),
  );
};
