// What a batch costs from socket to disk, beside what reading it costs.
import { atLeast, median, round, type Figure, type Line, type Pace } from './line.js';
import { batchPath, prepareBatches, type Shape } from './batches.js';
import { runLoad } from './load.js';
import { makeExperiments, withServer, type BenchServer } from './server.js';

const clients = 12;
const each = 4;

interface Side {
  readonly perSecond: number;
  readonly serverMs: number;
  readonly databaseMs: number;
}

const measure = async (
  server: BenchServer,
  keys: readonly string[],
  path: string,
  shape: Shape,
  seconds: number,
): Promise<Side> => {
  const prepared = prepareBatches({ path, apiKey: server.apiKey }, keys, shape, each);
  const before = server.usedMs();
  const { perSecond, requests } = await runLoad({ port: server.port, clients: prepared, seconds });
  const after = server.usedMs();
  return {
    perSecond,
    serverMs: (after.server - before.server) / requests,
    databaseMs: (after.database - before.database) / requests,
  };
};

const middle = (sides: readonly Side[]): Side => ({
  perSecond: median(sides.map((side) => side.perSecond)),
  serverMs: median(sides.map((side) => side.serverMs)),
  databaseMs: median(sides.map((side) => side.databaseMs)),
});
const show = ({ perSecond, serverMs, databaseMs }: Side) =>
  `${round(perSecond, 0)}/s (server ${round(serverMs)} ms, database ${round(databaseMs)} ms)`;

interface Way {
  readonly server: BenchServer;
  readonly path: string;
}

/** Two ways in turns, so that both meet the same machine. */
const compare = async (shape: Shape, [one, other]: readonly [Way, Way], { quick }: Pace) => {
  const prepare = async ({ server, path }: Way) => {
    const keys = await makeExperiments(server, clients);
    return (seconds: number) => measure(server, keys, path, shape, seconds);
  };
  const [runOne, runOther] = [await prepare(one), await prepare(other)];
  const [rounds, seconds] = quick ? [3, 2] : [5, 4];
  for (const run of [runOther, runOne]) await run(quick ? 1.5 : 3);
  const [ones, others]: [Side[], Side[]] = [[], []];
  for (let i = 0; i < rounds; i++) {
    others.push(await runOther(seconds));
    ones.push(await runOne(seconds));
  }
  return {
    one: middle(ones),
    other: middle(others),
    ratio: median(ones.map((side, i) => side.perSecond / (others[i]?.perSecond ?? Infinity))),
  };
};

const shapes: readonly (readonly [Shape, boolean])[] = [
  [{ series: 20, points: 50 }, true],
  [{ series: 1, points: 1000 }, false],
  [{ series: 1000, points: 1 }, false],
];

export const ingestLine: Line = {
  name: 'ingest',
  run: (pace) =>
    withServer(async (server) => {
      const figures: Figure[] = [];
      for (const [shape, held] of shapes) {
        const { one, other, ratio } = await compare(
          shape,
          [
            { server, path: batchPath },
            { server, path: '/bench/parse' },
          ],
          pace,
        );
        figures.push({
          what: `batch of ${shape.series} × ${shape.points}, stored over read only`,
          value: round(ratio),
          sides: `${show(one)} over ${show(other)}, ${clients} clients`,
          ...(held ? { held: atLeast(0.45, ratio) } : {}),
        });
      }
      return figures;
    }),
};

export const rowsLine: Line = {
  name: 'rows',
  // A server each: what one database still cleans up after its rows must not slow the other's chunks.
  run: (pace) =>
    withServer((chunked) =>
      withServer(async (rowed) => {
        const { one, other, ratio } = await compare(
          { series: 20, points: 50 },
          [
            { server: chunked, path: batchPath },
            { server: rowed, path: '/bench/rows' },
          ],
          pace,
        );
        return [
          {
            what: 'batch of 20 × 50, chunks over one row a point',
            value: round(ratio),
            sides: `${show(one)} over ${show(other)}, ${clients} clients`,
            held: atLeast(4, ratio),
          },
        ];
      }),
    ),
};
