// Three database nodes that all take writes, and a server process on each.
import { expect } from 'chai';
import { setTimeout as wait } from 'node:timers/promises';
import { callJson, createExperiment, mortalServer, type MortalServer } from '#test/faults/server';
import { pendingUnlessAll } from '#test/pending';
import { makeDatabase } from '#test/servers/databases';
import { startGalera, type GaleraCluster } from '#test/servers/galera';
import { NotInstalled } from '#test/servers/launch';

const logPoint = (
  server: MortalServer,
  experimentKey: string,
  metricValue: string,
  metricName = 'loss',
) =>
  callJson(server, '/api/rest/v2/write/experiment/metric', {
    experimentKey,
    metricName,
    metricValue,
    timestamp: 1_700_000_000_000,
  });
const readPoints = async (server: MortalServer, key: string, name = 'loss') =>
  (
    (
      await callJson(
        server,
        `/api/rest/v2/experiment/metrics/get-metric?experimentKey=${key}&metricName=${name}`,
      )
    ).body['metrics'] as { metricValue: string }[]
  ).map((point) => point.metricValue); // 16.3: a list of points

describe('a server process on each of three Galera nodes', function () {
  this.timeout(300_000);
  let cluster: GaleraCluster | undefined;
  const servers: MortalServer[] = [];
  before('start the cluster', async function () {
    try {
      cluster = await startGalera();
    } catch (thrown) {
      if (thrown instanceof NotInstalled) return pendingUnlessAll(this, thrown.message);
      throw thrown;
    }
    const database = await makeDatabase(cluster.nodes[0]?.url ?? '');
    for (const node of cluster.nodes) {
      const url = new URL(node.url);
      url.pathname = new URL(database.url).pathname;
      servers.push(await mortalServer({ ORRERY_STORAGE: 'mysql', ORRERY_MYSQL_URL: url.href }));
    }
    for (const server of servers) await server.start();
  });
  after(async () => {
    for (const server of servers) await server.destroy();
    await cluster?.stop();
  });

  /** Logs on every process at once; a refusal is tried again. Answers what was acknowledged, by process. */
  const logEverywhere = async (
    keys: readonly string[],
    each: number,
  ): Promise<readonly string[]> => {
    const acknowledged: string[] = [];
    await Promise.all(
      servers.flatMap((server, s) =>
        Array.from({ length: 4 }, async (_, writer) => {
          for (let i = 0; i < each; i++)
            for (const key of keys) {
              const value = `${s}.${writer}.${i}x`;
              const { status } = await logPoint(server, key, value);
              if (status === 200) acknowledged.push(`${key} ${value}`);
              else {
                expect(status).to.equal(429);
                await wait(100);
              }
            }
        }),
      ),
    );
    return acknowledged;
  };
  const settled = async (
    key: string,
    count: number,
    among: readonly MortalServer[] = servers,
  ): Promise<void> => {
    for (const server of among)
      for (let tries = 0; tries < 100 && (await readPoints(server, key)).length < count; tries++)
        await wait(50);
  };

  it('keeps every acknowledged point of one run once, on every node', async () => {
    const key = await createExperiment(servers[0] as MortalServer);
    for (const server of servers)
      for (
        let tries = 0;
        tries < 100 &&
        (await callJson(server, `/api/rest/v2/experiment/metadata?experimentKey=${key}`)).status !==
          200;
        tries++
      )
        await wait(50);

    const acknowledged = await logEverywhere([key], 25);

    await settled(key, acknowledged.length);
    const [first, ...others] = await Promise.all(servers.map((server) => readPoints(server, key)));
    expect(acknowledged.length).to.be.above(150);
    expect(first).to.include.members(acknowledged.map((one) => one.split(' ')[1]));
    expect(new Set(first).size).to.equal(first?.length);
    for (const other of others) expect(other).to.deep.equal(first);
  });

  it('keeps every acknowledged point of several runs once, on every node', async () => {
    const keys = await Promise.all(servers.map((server) => createExperiment(server)));
    for (const key of keys)
      for (const server of servers)
        for (
          let tries = 0;
          tries < 100 &&
          (await callJson(server, `/api/rest/v2/experiment/metadata?experimentKey=${key}`))
            .status !== 200;
          tries++
        )
          await wait(50);

    const acknowledged = await logEverywhere(keys, 10);

    for (const key of keys) {
      const mine = acknowledged
        .filter((one) => one.startsWith(key))
        .map((one) => one.split(' ')[1] ?? '');
      await settled(key, mine.length);
      for (const server of servers) {
        const stored = await readPoints(server, key);
        expect(stored).to.include.members(mine);
        expect(new Set(stored).size).to.equal(stored.length);
      }
    }
  });

  it('goes on, with what was acknowledged, when one node is taken away', async () => {
    const [one, two] = servers as [MortalServer, MortalServer];
    const key = await createExperiment(one);
    const acknowledged: string[] = [];
    for (let i = 0; i < 20; i++)
      if ((await logPoint(one, key, `before${i}`)).status === 200) acknowledged.push(`before${i}`);
    await cluster?.nodes[2]?.stop();

    for (let i = 0; i < 20; i++)
      if ((await logPoint(two, key, `after${i}`)).status === 200) acknowledged.push(`after${i}`);

    await settled(key, acknowledged.length, [one, two]);
    expect(acknowledged.length).to.be.above(20);
    for (const server of [one, two])
      expect(await readPoints(server, key)).to.have.members(acknowledged);
  });
});
