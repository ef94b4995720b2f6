// Monitored events while the server is killed: none that was acknowledged is lost, and none counts twice when it is sent again.
import { expect } from 'chai';
import { mortalServer, type MortalServer } from './server.js';

const [batches, size] = [30, 200];

describe('monitored events over kill -9', function () {
  this.timeout(180_000);
  let server: MortalServer;
  before(async () => {
    server = await mortalServer();
    await server.start();
  });
  after(() => server.destroy());

  const ask = async (path: string, body?: unknown): Promise<Readonly<Record<string, unknown>>> => {
    const reply = await fetch(server.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { Authorization: server.key, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${await reply.text()}`);
    return (await reply.json()) as Readonly<Record<string, unknown>>; // rows of monitoring answer objects
  };
  const at = Date.now() - 1000;
  const sendBatch = (model: string, number: number) =>
    ask('/mpm/v2/events/batch', {
      data: Array.from({ length: size }, (_, place) => ({
        ...{ workspaceName: 'faults', modelName: model, modelVersion: '1' },
        ...{ predictionId: `p${number}-${place}`, timestamp: at },
        features: { age: place, region: place % 2 === 0 ? 'eu' : 'us' },
        predictions: { value: 'yes' },
      })),
    });
  const modelIdOf = async (model: string): Promise<string> => {
    const { workspaces } = (await ask('/api/mpm/v3/workspaces')) as {
      readonly workspaces: readonly {
        readonly models: readonly { readonly modelId: string; readonly modelName: string }[];
      }[];
    }; // that row's reply
    const found = workspaces
      .flatMap(({ models }) => models)
      .find(({ modelName }) => modelName === model);
    return found?.modelId ?? '';
  };
  /** Events by their sums, and one by one. */
  const counts = async (model: string): Promise<readonly number[]> => {
    const modelId = await modelIdOf(model);
    const sumOf = async (cometSql: string): Promise<number> => {
      const { data } = (await ask('/api/mpm/v2/custom-metrics/query', { modelId, cometSql })) as {
        readonly data: readonly { readonly data: readonly { readonly y: number | null }[] }[];
      }; // that row's reply
      return data[0]?.data.reduce((sum, { y }) => sum + (y ?? 0), 0) ?? 0;
    };
    return [
      await sumOf('SELECT count(*) FROM model'),
      await sumOf('SELECT count(*) FROM model WHERE age >= 0'),
    ];
  };
  const killSoon = async (ms: number): Promise<void> => {
    await new Promise((next) => setTimeout(next, ms));
    await server.kill(true);
  };

  it('keep every batch that was acknowledged, and count each once when all are sent again', async () => {
    await sendBatch('batches', 0);
    const acknowledged = new Set<number>([0]);
    const sending = Promise.all(
      Array.from({ length: batches - 1 }, (_, place) => place + 1).map(async (number) =>
        sendBatch('batches', number).then(
          () => acknowledged.add(number),
          () => undefined, // the server was killed while it was sent
        ),
      ),
    );
    await killSoon(400);
    await sending;
    await server.start();

    const [kept = 0, one = 0] = await counts('batches');
    expect(kept).to.be.at.least(acknowledged.size * size);
    expect([kept % size, one]).to.deep.equal([0, kept]);
    for (let number = 0; number < batches; number++) await sendBatch('batches', number);
    expect(await counts('batches')).to.deep.equal([batches * size, batches * size]);
  });

  const rows = 8000;
  const upload = async (): Promise<string> => {
    const form = new FormData();
    for (const [name, value] of Object.entries({
      workspaceName: 'faults',
      modelName: 'csv',
      modelVersion: '1',
    }))
      form.append(name, value);
    const lines = Array.from(
      { length: rows },
      (_, place) => `${at},c${place},${place % 90},${place % 3 === 0 ? 'eu' : 'us'}`,
    );
    const text = ['timestamp,predictionId,feature_age,feature_region', ...lines].join('\r\n');
    form.append('file', new Blob([text], { type: 'text/csv' }), 'a.csv');
    const reply = await fetch(`${server.url}/mpm/v2/data/events/csv`, {
      method: 'POST',
      headers: { Authorization: server.key },
      body: form,
    });
    return reply.text();
  };

  it('count each row of a file once that was cut off by a kill, and then came twice at once', async () => {
    const first = upload().catch(() => 'the server was killed');
    await killSoon(700);
    await first;
    await server.start();

    const both = await Promise.all([upload(), upload()]);

    for (const reply of both) expect(reply).to.include(`"rows":${rows}`);
    expect(await counts('csv')).to.deep.equal([rows, rows]);
  });
});
