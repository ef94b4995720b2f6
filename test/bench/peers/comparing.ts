// `npm run bench -- --peers`: the same work given to Orrery and to what people use in its place, in one run and in alternating rounds.
import { median, round, type Figure, type Line } from '../line.js';
import { runLoad } from '../load.js';
import { mlflow } from './mlflow.js';
import { orrery } from './orrery.js';
import { takeOnce, type Given, type Peer, type StartedPeer, type Work } from './peer.js';
import { trackio } from './trackio.js';

const many = 20;
const rounds = 3;
const peers: readonly Peer[] = [mlflow, trackio, orrery];

/** What each line gives, and to how many clients. The table of runs comes first, into storage that is still empty. */
const works: readonly (readonly [Work, number])[] = [
  ['search of 5,000 runs, first 100', 1],
  ['search of 5,000 runs, first 100', many],
  ['first 100 of 5,000 runs with their values', 1],
  ['all points of a metric of 100,000', 1],
  ['create a run', many],
  ['one point', many],
  ['10 metrics in a batch', many],
  ['500 metrics in a batch', many],
  ['10 parameters', many],
  ['100 parameters', many],
  ['1,000 points of a metric in a batch', many],
  ['100 spans in a batch', 8],
];

interface Round {
  readonly perSecond: number;
  /** Processor time of a request, in ms. */
  readonly cost: number;
  readonly errors: number;
}

/** Asks what is to be read again and again, and counts. */
const runReads = async (
  peer: StartedPeer,
  reads: NonNullable<Given['reads']>,
  clients: number,
  seconds: number,
): Promise<{ readonly requests: number; readonly perSecond: number; readonly errors: number }> => {
  const startedAt = performance.now();
  let [requests, errors] = [0, 0];
  await Promise.all(
    Array.from({ length: clients }, async () => {
      do {
        for (const one of reads)
          await takeOnce(peer, one).catch(() => {
            errors++;
          });
        requests++;
      } while (performance.now() - startedAt < seconds * 1000);
    }),
  );
  return { requests, errors, perSecond: (requests * 1000) / (performance.now() - startedAt) };
};

/** Sends what is to be written; what is refused is no work done. */
const runWrites = async (
  { port }: StartedPeer,
  writes: NonNullable<Given['writes']>,
  seconds: number,
): Promise<{ readonly requests: number; readonly perSecond: number; readonly errors: number }> => {
  const { requests, refused, refusal, ...load } = await runLoad({
    port,
    clients: writes,
    seconds,
    refusals: 'counted',
  });
  if (refused === requests) throw new Error(refusal ?? 'no request was answered');
  return { requests, errors: refused, perSecond: (requests - refused) / load.seconds };
};

const runRound = async (
  peer: StartedPeer,
  { writes, reads }: Given,
  clients: number,
  seconds: number,
): Promise<Round> => {
  const before = peer.usedMs();
  const { perSecond, requests, errors } =
    writes === undefined
      ? await runReads(peer, reads ?? [], clients, seconds)
      : await runWrites(peer, writes, seconds);
  return { perSecond, errors, cost: (peer.usedMs() - before) / Math.max(1, requests) };
};

interface Result {
  readonly name: string;
  /** Absent where the product has no such thing; a sentence where it failed. */
  readonly got?: Round | string;
}

const faultOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message.slice(0, 200) : String(thrown);

interface Prepared {
  readonly name: string;
  readonly peer: StartedPeer;
  readonly given: Given | undefined;
  readonly got: Round[];
  fault: string | undefined;
}

/** Rounds of all products in turn, so that a slower hour of the machine is everybody's. */
const compare = async (
  started: readonly (readonly [string, StartedPeer])[],
  [work, clients]: readonly [Work, number],
  seconds: number,
): Promise<readonly Result[]> => {
  const prepared: Prepared[] = await Promise.all(
    started.map(async ([name, peer]) => ({
      name,
      peer,
      ...(await peer.prepare(work, clients).then(
        (given) => ({ given, fault: undefined }),
        (thrown: unknown) => ({ given: undefined, fault: faultOf(thrown) }),
      )),
      got: [] as Round[],
    })),
  );
  for (let turn = 0; turn < rounds; turn++)
    for (const one of prepared)
      if (one.given !== undefined && one.fault === undefined)
        await runRound(one.peer, one.given, clients, seconds).then(
          (result) => one.got.push(result),
          (thrown: unknown) => {
            one.fault = faultOf(thrown);
          },
        );
  return prepared.map(({ name, given, got, fault }) => ({
    name,
    ...(given === undefined && fault === undefined
      ? {}
      : {
          got: fault ?? {
            perSecond: median(got.map((one) => one.perSecond)),
            cost: median(got.map((one) => one.cost)),
            errors: got.reduce((sum, one) => sum + one.errors, 0),
          },
        }),
  }));
};

const show = ({ name, got }: Result): string => {
  if (got === undefined) return `${name} –`;
  if (typeof got === 'string') return `${name} failed: ${got}`;
  const errors = got.errors === 0 ? '' : `, ${got.errors} errors`;
  return `${name} ${round(got.perSecond, got.perSecond < 20 ? 1 : 0)}/s (${round(got.cost, 1)} ms${errors})`;
};

const rateOf = (results: readonly Result[], of: string): number | undefined => {
  const got = results.find(({ name }) => name === of)?.got;
  return typeof got === 'object' ? got.perSecond : undefined;
};

/** How many times the rate of the best of the others: below 1 a peer is ahead. */
const figureOf = ([work, clients]: readonly [Work, number], results: readonly Result[]): Figure => {
  const own = rateOf(results, orrery.name) ?? 0;
  const others = [mlflow, trackio].map(({ name }) => rateOf(results, name) ?? 0);
  const best = Math.max(...others);
  return {
    what: `${work}${clients === 1 ? '' : `, ${clients} clients`}`,
    value: best === 0 ? '–' : `${round(own / best, 1)}×`,
    sides: results.map(show).join('; '),
  };
};

/** Starts them one after the other; one that does not start is told of, and left out. */
const startAll = async (
  tell: (figure: Figure) => void,
): Promise<readonly (readonly [string, StartedPeer])[]> => {
  const started: (readonly [string, StartedPeer])[] = [];
  for (const peer of peers)
    try {
      started.push([peer.name, await peer.start()]);
    } catch (thrown) {
      tell({ what: peer.name, value: 'failed', sides: faultOf(thrown) });
    }
  return started;
};

export const peersLine: Line = {
  name: 'peers',
  async run({ quick, tell }) {
    const started = await startAll(tell);
    try {
      tell({
        what: 'versions',
        value: '',
        sides: started.map(([name, { version }]) => `${name} ${version}`).join(', '),
      });
      const peaks = started.map(([, peer]) => peer.memoryMb());
      for (const work of works) {
        tell(figureOf(work, await compare(started, work, quick ? 2 : 5)));
        started.forEach(([, peer], i) => {
          peaks[i] = Math.max(peaks[i] ?? 0, peer.memoryMb());
        });
      }
      return [
        {
          what: 'memory at the peak, database included',
          value: '',
          sides: started.map(([name], i) => `${name} ${round(peaks[i] ?? 0, 0)} MB`).join(', '),
        },
      ];
    } finally {
      await Promise.allSettled(started.map(([, peer]) => peer.stop()));
    }
  },
};
