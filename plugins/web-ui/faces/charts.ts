// Charts of runs, drawn on the server by what draws them in the browser.
import { readAxis, type RunGroup } from '../pure/axis.js';
import { paletteColour, placesOf, strokeOf } from '../pure/colours.js';
import { matcherOf } from '../pure/curves.js';
import type { Stroke } from '../pure/markers.js';
import { drawingOf, groupKey, sharesOf, type PanelLook } from '../pure/panel-drawing.js';
import { cutOf, type SheetChart } from '../pure/sheet.js';
import { readSpread } from '../pure/spread.js';
import { askCurves, type Faced } from './asking.js';

const metricsAtOnce = 20;

/** The metrics whose charts an address names, the system's own last, as the page sections them. */
export const chartedMetrics = (
  metrics: readonly string[],
  search: URLSearchParams,
): readonly string[] => {
  const found = metrics.filter(matcherOf(search.get('charts') ?? ''));
  const isSystem = (name: string) => name.startsWith('sys.');
  return [...found.filter((name) => !isSystem(name)), ...found.filter(isSystem)];
};

/** The words for charts of which there are more than the form shows; nothing where none are asked for. */
export const chartsCutOf = (
  { search, charts: most }: Faced,
  metrics: readonly string[],
): string | undefined => {
  const { length } = chartedMetrics(metrics, search);
  return most === 0 ? undefined : cutOf(most, length);
};

/** A chart of each metric of these runs, or of groups of them; metrics without points have none. */
export const chartsOf = async (
  { ask, search, charts: most }: Faced,
  of: {
    readonly runs: readonly string[];
    readonly metrics: readonly string[];
    readonly groups?: readonly RunGroup[] | undefined;
    readonly nameOf: (run: string) => string;
    /** The stroke and mark of a run, where they are chosen. */
    readonly strokeOf?: ((run: string) => Stroke | undefined) | undefined;
  },
): Promise<readonly SheetChart[]> => {
  const metrics = chartedMetrics(of.metrics, search).slice(0, most);
  if (metrics.length === 0 || of.runs.length === 0) return [];
  const places = placesOf(of.groups?.map(({ name }) => groupKey(name)) ?? of.runs);
  const axis = readAxis(search);
  const look: PanelLook = {
    axis,
    logY: search.get('logy') === '1',
    band: search.get('band') === '1',
    clip: search.get('clip') === '1',
    dark: search.get('dark') === '1',
    nameOf: of.nameOf,
    colourOf: (key, dark) => paletteColour(places.get(key) ?? 0, dark),
    dashOf: (key) => strokeOf(places.get(key) ?? 0),
    strokeOf: of.strokeOf,
    spread: readSpread(search.get('spread')),
  };
  const drawn: SheetChart[] = [];
  for (let at = 0; at < metrics.length; at += metricsAtOnce) {
    const some = metrics.slice(at, at + metricsAtOnce);
    const found = await askCurves(ask, { ...of, metrics: some }, axis);
    for (const metric of some) {
      const mine = {
        buckets: found.buckets,
        curves: found.curves.filter((one) => one.metric === metric && one.x.length > 0),
        groups: found.groups.filter((one) => one.metric === metric && one.x.length > 0),
      };
      if (mine.curves.length + mine.groups.length === 0) continue;
      const { drawing, outside } = drawingOf(mine, look);
      drawn.push({
        title: metric,
        drawing,
        says: sharesOf(mine, outside, look.spread).join(' · '),
      });
    }
  }
  return drawn;
};
