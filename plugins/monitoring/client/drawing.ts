// Drawings: lines over time and bars side by side, each with a sentence for who does not see them.
import { h, percent, shown, svg } from './elements.js';

const [width, height, edge] = [640, 160, 8];

/** One line over buckets of time; null where there is nothing. */
export interface Line {
  readonly name: string;
  readonly style: 'main' | 'bound';
  readonly values: readonly (number | null)[];
}

/** Pieces of a line without its gaps. */
const pathOf = (
  values: readonly (number | null)[],
  x: (at: number) => number,
  y: (value: number) => number,
): string => {
  let open = false;
  return values
    .map((value, at) => {
      if (value === null) {
        open = false;
        return '';
      }
      const step = `${open ? 'L' : 'M'}${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
      open = true;
      return step;
    })
    .join('');
};

const known = (values: readonly (number | null)[]): readonly number[] =>
  values.filter((value) => value !== null);

/** Lines over the same buckets, with the highest and lowest value at the side and the first and last bucket below. */
export const lines = (
  title: string,
  buckets: readonly string[],
  drawn: readonly Line[],
): HTMLElement => {
  const all = drawn.flatMap(({ values }) => known(values));
  if (all.length === 0) return h('p', { class: 'faint' }, `${title}: nothing in this span.`);
  const [low, high] = [Math.min(0, ...all), Math.max(...all)];
  const x = (at: number) => edge + (at / Math.max(1, buckets.length - 1)) * (width - 2 * edge);
  const y = (value: number) =>
    height - edge - ((value - low) / (high - low || 1)) * (height - 2 * edge);
  const main = drawn.find(({ style }) => style === 'main');
  const dots = (main?.values ?? []).flatMap((value, at) =>
    value === null
      ? []
      : [
          svg(
            'circle',
            { cx: x(at).toFixed(1), cy: y(value).toFixed(1), r: 3, class: 'mon-dot' },
            svg('title', {}, `${buckets[at] ?? ''}: ${shown(value)}`),
          ),
        ],
  );
  const last = known(main?.values ?? []).at(-1);
  return h(
    'figure',
    { class: 'mon-figure' },
    h(
      'figcaption',
      {},
      title,
      h('span', { class: 'faint' }, ` · ${shown(low)} to ${shown(high)}, last ${shown(last)}`),
    ),
    svg(
      'svg',
      {
        viewBox: `0 0 ${width} ${height}`,
        role: 'img',
        'aria-label': `${title}: from ${shown(low)} to ${shown(high)}, last ${shown(last)}`,
      },
      ...drawn.map(({ style, values }) =>
        svg('path', { d: pathOf(values, x, y), class: `mon-${style}` }),
      ),
      ...dots,
    ),
    h(
      'p',
      { class: 'faint mon-ends' },
      h('span', {}, buckets[0] ?? ''),
      h('span', {}, buckets.at(-1) ?? ''),
    ),
  );
};

/** A small line without words, for a row of a table. */
export const spark = (title: string, values: readonly (number | null)[]): SVGElement => {
  const all = known(values);
  const high = Math.max(1e-12, ...all);
  const d = pathOf(
    values,
    (at) => 2 + (at / Math.max(1, values.length - 1)) * 96,
    (value) => 22 - (Math.max(0, value) / high) * 20,
  );
  return svg(
    'svg',
    {
      viewBox: '0 0 100 24',
      class: 'mon-spark',
      role: 'img',
      'aria-label': `${title}: ${all.map(shown).join(', ') || 'nothing'}`,
    },
    svg('path', { d, class: 'mon-main' }),
  );
};

export interface Bin {
  readonly name: string;
  readonly current: number | null;
  readonly baseline: number | null;
}

/** Shares of two sides, bin by bin. */
export const sideBySide = (title: string, bins: readonly Bin[]): HTMLElement => {
  const high = Math.max(
    1e-12,
    ...bins.flatMap(({ current, baseline }) => [current ?? 0, baseline ?? 0]),
  );
  const room = (width - 2 * edge) / Math.max(1, bins.length);
  const bar = (share: number | null, at: number, side: 0 | 1, of: string, name: string) => {
    const tall = ((share ?? 0) / high) * (height - 2 * edge);
    return svg(
      'rect',
      {
        x: (edge + at * room + side * room * 0.42).toFixed(1),
        y: (height - edge - tall).toFixed(1),
        width: (room * 0.4).toFixed(1),
        height: tall.toFixed(1),
        class: `mon-${of}`,
      },
      svg('title', {}, `${name}, ${of}: ${percent(share)}`),
    );
  };
  return h(
    'figure',
    { class: 'mon-figure' },
    h(
      'figcaption',
      {},
      title,
      ' ',
      h('span', { class: 'mon-key mon-key-baseline' }, 'baseline'),
      ' ',
      h('span', { class: 'mon-key mon-key-current' }, 'now'),
    ),
    svg(
      'svg',
      {
        viewBox: `0 0 ${width} ${height}`,
        role: 'img',
        'aria-label': `${title}: ${bins
          .slice(0, 12)
          .map(
            ({ name, current, baseline }) =>
              `${name} ${percent(baseline)} before, ${percent(current)} now`,
          )
          .join('; ')}`,
      },
      ...bins.flatMap(({ name, current, baseline }, at) => [
        bar(baseline, at, 0, 'baseline', name),
        bar(current, at, 1, 'current', name),
      ]),
    ),
    h(
      'p',
      { class: 'faint mon-ends' },
      h('span', {}, bins[0]?.name ?? ''),
      h('span', {}, bins.at(-1)?.name ?? ''),
    ),
  );
};
