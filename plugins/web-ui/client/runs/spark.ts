// A small curve in the row that is pointed at, or that keys are at: of the first metric that the table shows.
import { useEffect } from 'preact/hooks';
import { readCurves } from '../../pure/curves.js';
import type { RunColumn } from '../../pure/columns.js';
import { colourOf } from '../charts/colours.js';
import { hovered } from '../charts/panel.js';
import { pointsChanged } from '../live.js';
import { runsServer } from '../server.js';
import { isDark } from '../state.js';

/** How long one stays at a row before its curve is asked for, into how many places, and how many are kept. */
const [restMs, places, mostKept] = [120, 60, 200];
const [wide, high] = [64, 20];
const space = 'http://www.w3.org/2000/svg';

const pathOf = async (run: string, metric: string, signal: AbortSignal): Promise<string> => {
  const { curves } = readCurves(
    await runsServer.series(
      { body: { runs: [run], metrics: [metric], x: 'step', buckets: places, columns: ['last'] } },
      signal,
    ),
  );
  const [curve] = curves;
  const y = [...(curve?.columns['last'] ?? [])].filter(Number.isFinite);
  if (y.length < 2) return '';
  const [low, top] = [Math.min(...y), Math.max(...y)];
  const points = y.map(
    (one, at) =>
      `${((at / (y.length - 1)) * wide).toFixed(1)} ${(high - 2 - ((one - low) / (top - low || 1)) * (high - 4)).toFixed(1)}`,
  );
  return `M${points.join('L')}`;
};

const drawing = (d: string, colour: string, says: string): SVGElement => {
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('class', 'spark');
  svg.setAttribute('viewBox', `0 0 ${wide} ${high}`);
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', says);
  const path = document.createElementNS(space, 'path');
  path.setAttribute('d', d);
  path.setAttribute('fill', 'none');
  path.setAttribute('stroke', colour);
  path.setAttribute('stroke-width', '1.3');
  svg.append(path);
  return svg;
};

export const useSparks = (
  body: { readonly current: HTMLElement | null },
  column: RunColumn | undefined,
): void => {
  const tick = pointsChanged.value;
  const metric = column?.name;
  useEffect(() => {
    if (metric === undefined) return undefined;
    const kept = new Map<string, Promise<string>>();
    let leaving = new AbortController();
    const show = (key: string, d: string) => {
      const row = body.current?.querySelector(`[data-key="${CSS.escape(key)}"] .name`);
      if (d !== '' && hovered.peek() === key)
        row?.append(drawing(d, colourOf(key, isDark.peek()), `${metric} over its steps`));
    };
    const load = (key: string): Promise<string> => {
      const before = kept.get(key);
      if (before !== undefined) return before;
      const coming = pathOf(key, metric, leaving.signal);
      if (kept.size >= mostKept) kept.clear();
      kept.set(key, coming);
      return coming;
    };
    let resting: number | undefined;
    const leave = hovered.subscribe((key) => {
      clearTimeout(resting);
      leaving.abort();
      for (const one of body.current?.querySelectorAll('.spark') ?? []) one.remove();
      if (key === undefined) return;
      resting = setTimeout(() => {
        leaving = new AbortController();
        load(key).then(
          (d) => show(key, d),
          // A curve that did not come is asked for the next time.
          () => kept.delete(key),
        );
      }, restMs);
    });
    return () => {
      leave();
      clearTimeout(resting);
      leaving.abort();
    };
  }, [metric, tick]);
};
