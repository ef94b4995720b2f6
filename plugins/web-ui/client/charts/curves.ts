// Asks for curves: all panels that become visible together ask in one request.
import { readCurves, type Curves } from '../../pure/curves.js';
import { seriesBody, type Axis, type CurveColumn, type RunGroup } from '../../pure/axis.js';
import { curvesId } from '../../pure/asking.js';
import { takeBytes } from '../replies.js';
import { runsServer } from '../server.js';

interface Waiting {
  readonly metric: string;
  readonly resolve: (curves: Curves) => void;
  readonly reject: (thrown: unknown) => void;
}

const metricsAtOnce = 20;
/** Panels that come onto the screen in one frame ask within it. */
const togetherMs = 4;
const waiting = new Map<string, Waiting[]>();

/** Lets the browser do something else, such as show what was just drawn. */
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/** Hands out the curves of each metric; one chart is drawn after the other, so that none waits for all. */
const handOut = async (bytes: ArrayBuffer, all: readonly Waiting[]): Promise<void> => {
  const { buckets, curves, groups } = readCurves(bytes);
  for (const { metric, resolve } of all) {
    resolve({
      buckets,
      curves: curves.filter((curve) => curve.metric === metric),
      groups: groups.filter((group) => group.metric === metric),
    });
    await pause();
  }
};

const askSome = async (bodyOf: BodyOf, some: readonly Waiting[]): Promise<void> => {
  try {
    const body = bodyOf(some.map(({ metric }) => metric));
    await handOut(await runsServer.series({ body }), some);
  } catch (thrown) {
    for (const { reject } of some) reject(thrown);
  }
};

type BodyOf = (metrics: readonly string[]) => ReturnType<typeof seriesBody>;

const askAll = async (bodyOf: BodyOf, all: readonly Waiting[]): Promise<void> => {
  for (let at = 0; at < all.length; at += metricsAtOnce)
    await askSome(bodyOf, all.slice(at, at + metricsAtOnce));
};

/** Gives what comes along with the page, and asks for the others meanwhile. */
const ask = async (bodyOf: BodyOf, all: readonly Waiting[]): Promise<void> => {
  const came = takeBytes(curvesId);
  const asked = came?.body as { readonly metrics: readonly string[] } | undefined; // made by the same function
  const isSame =
    asked !== undefined && JSON.stringify(bodyOf(asked.metrics)) === JSON.stringify(asked);
  const isBrought = ({ metric }: Waiting) => isSame && asked.metrics.includes(metric);
  const brought = all.filter(isBrought);
  const others = askAll(
    bodyOf,
    all.filter((one) => !isBrought(one)),
  );
  const bytes = brought.length === 0 ? undefined : await came?.bytes;
  if (bytes === undefined) await askAll(bodyOf, brought);
  else await handOut(bytes, brought);
  await others;
};

/** The curves of a metric of these runs, or of groups of them; with these columns alone where they are named. */
export const loadCurves = (
  runs: readonly string[],
  metric: string,
  axis: Axis,
  {
    groups,
    columns,
  }: {
    readonly groups?: readonly RunGroup[] | undefined;
    readonly columns?: readonly CurveColumn[] | undefined;
  } = {},
): Promise<Curves> =>
  new Promise((resolve, reject) => {
    const key = JSON.stringify([runs, axis, groups, columns]);
    const others = waiting.get(key);
    if (others !== undefined) {
      others.push({ metric, resolve, reject });
      return;
    }
    const all: Waiting[] = [{ metric, resolve, reject }];
    waiting.set(key, all);
    setTimeout(() => {
      waiting.delete(key);
      void ask((metrics) => seriesBody({ runs, metrics, groups, columns }, axis), all);
    }, togetherMs);
  });
