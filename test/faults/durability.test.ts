// Nothing acknowledged is ever lost, and nothing is stored twice: writers that resend what was not answered, a server that is killed at random.
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { callJson, createExperiment, mortalServer, type MortalServer } from './server.js';

const rounds = process.env['ORRERY_TEST_ALL'] === '1' ? 20 : 3;
const writers = 8;
const pointsPerBatch = 20;

interface Written {
  readonly points: string[];
  readonly parameters: Map<string, string>;
  readonly assets: Map<string, string>;
}

/** Sends until it is answered with success; every other answer, and none, means once more. */
const insist = async (send: () => Promise<Response>, until: () => boolean): Promise<boolean> => {
  while (!until()) {
    const reply = await send().catch(() => undefined);
    await reply?.arrayBuffer().catch(() => undefined);
    if (reply?.status === 200) return true;
    await wait(50);
  }
  return false;
};

const write = async (
  server: MortalServer,
  experimentKey: string,
  writer: number,
  written: Written,
  over: () => boolean,
): Promise<void> => {
  const headers = { authorization: server.key, 'content-type': 'application/json' };
  for (let turn = 0; !over(); turn++) {
    const values = Array.from({ length: pointsPerBatch }, (_, i) => ({
      metricName: 'loss',
      metricValue: `${writer}.${turn}.${i}x`,
      step: turn * pointsPerBatch + i,
      timestamp: 1_700_000_000_000 + turn,
    }));
    const batch = JSON.stringify({ experimentKey, values });
    if (
      await insist(
        () =>
          fetch(`${server.url}/clientlib/batch/logger/experiment/metric`, {
            method: 'POST',
            headers,
            body: batch,
          }),
        over,
      )
    )
      written.points.push(...values.map((value) => value.metricValue));
    const [name, value] = [`p${turn}`, `${writer}-${turn}`];
    if (
      await insist(
        () =>
          fetch(`${server.url}/api/rest/v2/write/experiment/parameter`, {
            method: 'POST',
            headers,
            body: JSON.stringify({ experimentKey, parameterName: name, parameterValue: value }),
          }),
        over,
      )
    )
      written.parameters.set(name, value);
    const assetId = `${writer}`.padStart(4, '0') + String(turn).padStart(28, '0');
    const content = `asset ${writer} ${turn} `.repeat(200);
    const form = () => {
      const body = new FormData();
      body.append('file', new Blob([content]), 'file');
      return body;
    };
    const upload = async () => {
      const reply = await fetch(
        `${server.url}/clientlib/asset/upload?experimentId=${experimentKey}&assetId=${assetId}&fileName=f${turn}&extension=txt&overwrite=false`,
        { method: 'POST', headers: { authorization: server.key }, body: form() },
      );
      // One whose reply was lost is there already: the client takes that for success.
      if (reply.status !== 400) return reply;
      const { sdk_error_code } = (await reply.json()) as { sdk_error_code?: number };
      return new Response(null, { status: sdk_error_code === 7000005 ? 200 : 400 });
    };
    if (await insist(upload, over)) written.assets.set(assetId, content);
  }
};

const verify = async (
  server: MortalServer,
  experimentKey: string,
  written: Written,
): Promise<void> => {
  const { body: metrics } = await callJson(
    server,
    `/api/rest/v2/experiment/metrics/get-metric?experimentKey=${experimentKey}&metricName=loss`,
  );
  const stored = (metrics['metrics'] as { metricValue: string }[]).map(
    (point) => point.metricValue,
  );
  expect(new Set(stored).size, 'no point is stored twice').to.equal(stored.length);
  const there = new Set(stored);
  expect(
    written.points.filter((point) => !there.has(point)),
    'every acknowledged point is there',
  ).to.deep.equal([]);
  const { body: parameters } = await callJson(
    server,
    `/api/rest/v2/experiment/parameters?experimentKey=${experimentKey}`,
  );
  const values = new Map(
    (parameters['values'] as { name: string; valueCurrent: string }[]).map((value) => [
      value.name,
      value.valueCurrent,
    ]),
  );
  for (const [name, value] of written.parameters)
    expect(values.get(name), `parameter ${name}`).to.equal(value);
  const { body: list } = await callJson(
    server,
    `/api/rest/v2/experiment/asset/list?experimentKey=${experimentKey}`,
  );
  const assets = (list['assets'] as { assetId: string }[]).map((asset) => asset.assetId);
  expect(new Set(assets).size, 'no asset is stored twice').to.equal(assets.length);
  for (const [assetId, content] of written.assets) {
    const reply = await fetch(
      `${server.url}/api/rest/v2/experiment/asset/get-asset?experimentKey=${experimentKey}&assetId=${assetId}`,
      { headers: { authorization: server.key } },
    );
    expect(await reply.text(), `asset ${assetId}`).to.equal(content);
  }
};

describe('durability', function () {
  this.timeout(600_000);
  let server: MortalServer;
  before(async () => {
    server = await mortalServer({ ORRERY_THROTTLE_METRICS_PER_MINUTE: '0' });
    await server.start();
  });
  after(() => server.destroy());

  it(`keeps what was acknowledged, once, over ${rounds} kills of the server, alone and with its database`, async () => {
    const keys = await Promise.all(Array.from({ length: writers }, () => createExperiment(server)));
    const written: Written[] = keys.map(() => ({
      points: [],
      parameters: new Map(),
      assets: new Map(),
    }));
    let over = false;
    const writing = keys.map((key, writer) =>
      write(server, key, writer, written[writer]!, () => over),
    );

    for (let round = 0; round < rounds; round++) {
      await wait(400 + Math.random() * 1200);
      await server.kill(round % 2 === 1);
      await server.start();
    }
    await wait(500);
    over = true;
    await Promise.all(writing);

    for (const [writer, key] of keys.entries()) await verify(server, key, written[writer]!);
    expect(Math.min(...written.map((one) => one.points.length))).to.be.greaterThan(rounds);
  });
});
