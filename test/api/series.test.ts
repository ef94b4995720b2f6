// Curves as a page asks for them, in both forms, beside what was logged.
import { expect } from 'chai';
import { borrowServer, type StartedServer } from '#test/clients/server';

interface Columns {
  readonly bucket: readonly number[];
  readonly x: readonly number[];
  readonly mean: readonly number[];
  readonly min: readonly number[];
  readonly max: readonly number[];
  readonly count: readonly number[];
}
interface RunCurve extends Columns {
  readonly run: string;
  readonly metric: string;
  readonly points: number;
  readonly total: number;
  readonly unplaced: number;
  readonly skipped: number;
  readonly spansCut: number;
  readonly last: readonly number[];
  readonly smooth?: readonly number[];
}
interface GroupCurve extends Columns {
  readonly name: string | null;
  readonly metric: string;
  readonly runs: readonly string[];
  readonly deviation: readonly number[];
}
interface Curves {
  readonly x: string;
  readonly scale: string;
  readonly from: number | null;
  readonly to: number | null;
  readonly buckets: number;
  readonly series: readonly RunCurve[];
  readonly groups: readonly GroupCurve[];
}
interface Placed {
  readonly columns: readonly string[];
  readonly length: number;
  readonly offset: number;
}

const begin = 1_700_000_000_000;

/** The two forms as one: what a page reads out of the bytes. */
const readBinary = (bytes: Buffer): Curves => {
  const headLength = bytes.readUInt32LE(0);
  const head = JSON.parse(bytes.subarray(4, 4 + headLength).toString()) as Curves & {
    readonly x0: number;
    readonly series: readonly (RunCurve & Placed)[];
    readonly groups: readonly (GroupCurve & Placed)[];
  }; // the head of this very form
  const floats = Math.ceil((4 + headLength) / 4) * 4;
  const open = <T extends Placed>({ columns, length, offset, ...rest }: T) => ({
    ...rest,
    ...Object.fromEntries(
      columns.map((name, column) => [
        name,
        Array.from(
          { length },
          (_, at) =>
            bytes.readFloatLE(floats + 4 * (offset + column * length + at)) +
            (name === 'x' ? head.x0 : 0),
        ),
      ]),
    ),
  });
  const { x0: _, ...others } = head;
  return {
    ...others,
    series: head.series.map(open),
    groups: head.groups.map(open),
  } as unknown as Curves; // with the columns that each names
};

/** Every number as 32 bits hold it, but for places, which are told beside where the range begins. */
const rounded = (curves: Curves): unknown =>
  JSON.parse(
    JSON.stringify(curves, (name, value: unknown) =>
      Array.isArray(value) && typeof value[0] === 'number'
        ? (value as number[]).map((one) => (name === 'x' ? Math.round(one) : Math.fround(one)))
        : value,
    ),
  );

describe('curves of runs', () => {
  let server: StartedServer;
  const runs: string[] = [];
  before(async () => {
    const started = await borrowServer({ storage: 'embedded', env: { ORRERY_CHECK_REPLIES: '1' } });
    if ('missing' in started) throw new Error(started.missing);
    server = started;
    for (const [at, rate] of ['0.1', '0.1', '0.5'].entries()) {
      const { experimentKey } = (await send('/api/rest/v2/write/experiment/create', {
        workspaceName: server.workspace,
        projectName: 'curves',
      }).then((reply) => reply.json())) as { experimentKey: string }; // the row's reply
      runs.push(experimentKey);
      await send('/api/rest/v2/write/experiment/set-start-end-time', {
        experimentKey,
        startTimeMillis: begin,
      });
      if (at < 2)
        await send('/api/rest/v2/write/experiment/parameter', {
          experimentKey,
          parameterName: 'rate',
          parameterValue: rate,
        });
      await log(experimentKey, 'loss', (step) => (at + 1) * Math.sin(step / 9), 200);
      await log(experimentKey, 'seen', (step) => step * 32, 200);
    }
  });
  after(() => server.stop());

  const send = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { authorization: server.apiKey, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const log = async (
    experimentKey: string,
    metricName: string,
    valueAt: (step: number) => unknown,
    many: number,
    from = 0,
  ) => {
    const values = Array.from({ length: many }, (_, i) => ({
      metricName,
      metricValue: valueAt(from + i),
      step: from + i,
      timestamp: begin + 1000 * (from + i),
    }));
    const reply = await send('/clientlib/batch/logger/experiment/metric', {
      experimentKey,
      values,
    });
    expect(reply.status).to.equal(200);
  };
  const ask = async (body: object): Promise<Curves> => {
    const reply = await send('/v1/private/ui/series', body);
    const text = await reply.text();
    if (reply.status !== 200) throw new Error(`${reply.status}: ${text}`);
    return JSON.parse(text) as Curves; // the row's reply
  };
  const refusal = async (body: object) => {
    const reply = await send('/v1/private/ui/series', { runs, metrics: ['loss'], ...body });
    return [reply.status, ((await reply.json()) as { message: string }).message]; // the family's refusals
  };
  const [first, second, third] = [() => runs[0] ?? '', () => runs[1] ?? '', () => runs[2] ?? ''];

  it('hold the last, smallest, largest and mean value of each bucket of one grid', async () => {
    const curves = await ask({ runs: [third(), first()], metrics: ['loss', 'none'], buckets: 5 });

    expect([curves.x, curves.scale, curves.from, curves.to, curves.buckets]).to.deep.equal([
      'step',
      'linear',
      0,
      199,
      5,
    ]);
    expect(curves.series.map(({ run, metric, points }) => [run, metric, points])).to.deep.equal([
      [third(), 'loss', 200],
      [third(), 'none', 0],
      [first(), 'loss', 200],
      [first(), 'none', 0],
    ]);
    const one = curves.series[2];
    const values = [0, 1, 2, 3, 4].map((bucket) =>
      Array.from({ length: 200 }, (_, step) => step)
        .filter((step) => Math.min(4, Math.floor((step / 199) * 5)) === bucket)
        .map((step) => Math.sin(step / 9)),
    );
    expect(one?.bucket).to.deep.equal([0, 1, 2, 3, 4]);
    expect(one?.last).to.deep.equal(values.map((some) => some.at(-1)));
    expect(one?.min).to.deep.equal(values.map((some) => Math.min(...some)));
    expect(one?.max).to.deep.equal(values.map((some) => Math.max(...some)));
    expect(one?.count).to.deep.equal(values.map((some) => some.length));
    values.forEach((some, at) => {
      expect(one?.mean[at]).to.be.closeTo(some.reduce((a, b) => a + b) / some.length, 1e-12);
    });
  });

  for (const asked of [
    { x: 'wall', buckets: 7 },
    { x: 'relative', from: 5000, to: 90_000, smoothing: 0.8 },
    { scale: 'logarithmic', groupBy: 'rate' },
    { x: 'metric', xMetric: 'seen' },
    { metrics: ['none'] },
  ])
    it(`are the same as bytes: ${JSON.stringify(asked)}`, async () => {
      const body = { runs, metrics: ['loss'], ...asked };

      const reply = await send('/v1/private/ui/series/binary', body);
      const bytes = Buffer.from(await reply.arrayBuffer());

      expect([reply.status, reply.headers.get('content-type')]).to.deep.equal([
        200,
        'application/octet-stream',
      ]);
      expect(rounded(readBinary(bytes))).to.deep.equal(rounded(await ask(body)));
    });

  it('have as bytes the columns alone that are asked for', async () => {
    const body = { runs, metrics: ['loss'], buckets: 7, smoothing: 0.5 };

    const reply = await send('/v1/private/ui/series/binary', {
      ...body,
      columns: ['max', 'smooth'],
    });
    const some = readBinary(Buffer.from(await reply.arrayBuffer()));
    const all = await ask(body);

    const left = ['bucket', 'last', 'min', 'mean', 'count'];
    const series = all.series.map((one) =>
      Object.fromEntries(Object.entries(one).filter(([name]) => !left.includes(name))),
    );
    expect(rounded(some)).to.deep.equal(rounded({ ...all, series: series as never })); // without some of their columns
    const other = await send('/v1/private/ui/series/binary', { ...body, columns: ['median'] });
    expect(other.status).to.equal(400);
    await other.arrayBuffer();
  });

  it('count relative time from the start of each run', async () => {
    const curves = await ask({ runs, metrics: ['loss'], x: 'relative', buckets: 3 });

    expect([curves.from, curves.to]).to.deep.equal([0, 199_000]);
  });

  it('are not sent again until a point is added', async () => {
    const body = { runs, metrics: ['live'], groupBy: 'rate' };
    await log(first(), 'live', (step) => step, 3);
    for (const path of ['/v1/private/ui/series', '/v1/private/ui/series/binary']) {
      const reply = await send(path, body);
      await reply.arrayBuffer();
      const tag = reply.headers.get('etag') ?? '';
      const again = await send(path, body, { 'if-none-match': `"other", ${tag}` });
      const other = await send(path, { ...body, buckets: 9 }, { 'if-none-match': tag });
      await other.arrayBuffer();
      await log(first(), 'live', (step) => step, 1, 70 + path.length);
      const changed = await send(path, body, { 'if-none-match': tag });
      await changed.arrayBuffer();

      expect([reply.status, again.status, await again.text(), other.status]).to.deep.equal([
        200,
        304,
        '',
        200,
      ]);
      expect([changed.status, changed.headers.get('etag') === tag]).to.deep.equal([200, false]);
    }
  });

  it('of groups have the mean and the deviation of their runs, by a parameter or as they are named', async () => {
    const alone = await ask({ runs, metrics: ['loss'], buckets: 4 });
    const by = await ask({ runs, metrics: ['loss'], buckets: 4, groupBy: 'rate' });
    const named = await ask({
      runs,
      metrics: ['loss'],
      buckets: 4,
      groups: [{ name: 'ends', runs: [first(), third()] }],
    });

    expect(by.series).to.deep.equal([]);
    expect(by.groups.map(({ name, runs: of }) => [name, of])).to.deep.equal([
      ['0.1', [first(), second()]],
      [null, [third()]],
    ]);
    expect(named.groups.map(({ name, metric }) => [name, metric])).to.deep.equal([
      ['ends', 'loss'],
    ]);
    const [a, , c] = alone.series.map(({ mean }) => mean);
    for (const at of [0, 1, 2, 3]) {
      const means = [a?.[at] ?? NaN, c?.[at] ?? NaN];
      const middle = ((means[0] ?? 0) + (means[1] ?? 0)) / 2;
      expect(named.groups[0]?.mean[at]).to.be.closeTo(middle, 1e-12);
      expect(named.groups[0]?.deviation[at]).to.be.closeTo(
        Math.abs((means[0] ?? 0) - middle),
        1e-12,
      );
    }
    expect(by.groups[1]?.mean).to.deep.equal(c);
    expect(by.groups[1]?.deviation).to.deep.equal([0, 0, 0, 0]);
    expect(named.groups[0]?.max).to.deep.equal(alone.series[2]?.max);
    expect(named.groups[0]?.count).to.deep.equal([2, 2, 2, 2]);
  });

  it('over another metric join by step', async () => {
    const curves = await ask({
      runs: [first()],
      metrics: ['loss'],
      x: 'metric',
      xMetric: 'seen',
      from: 640,
      to: 3200,
      buckets: 2000,
    });

    const [curve] = curves.series;
    const steps = Array.from({ length: 81 }, (_, i) => 20 + i);
    expect(curve?.x).to.deep.equal(steps.map((step) => step * 32));
    expect(curve?.last).to.deep.equal(steps.map((step) => Math.sin(step / 9)));
    expect(curve?.points).to.equal(81);
  });

  it('are refused in a sentence where they cannot be drawn, or are too many', async () => {
    expect(await refusal({ from: 5, to: 4 })).to.deep.equal([
      400,
      'the range ends before it begins: from 5 to 4',
    ]);
    expect(await refusal({ smoothing: 1 })).to.deep.equal([
      400,
      'smoothing must be at least 0 and below 1',
    ]);
    expect(await refusal({ x: 'metric' })).to.deep.equal([
      400,
      'xMetric is given where x is metric, and only there',
    ]);
    expect(await refusal({ scale: 'logarithmic', to: 0 })).to.deep.equal([
      400,
      'from and to must be above 0 on a logarithmic scale',
    ]);
    expect(await refusal({ groupBy: 'rate', groups: [] })).to.deep.equal([
      400,
      'runs are grouped by groupBy or by groups, not by both',
    ]);
    expect(await refusal({ groups: [{ name: 'g', runs: ['other'] }] })).to.deep.equal([
      400,
      'groups name the run other, which is not among the runs',
    ]);
    const names = (many: number) => Array.from({ length: many }, (_, i) => `m${i}`);
    for (const [body, refused, bound] of [
      [{ metrics: names(10_000) }, 422, '50'],
      [{ runs: names(101) }, 422, '100'],
      [{ buckets: 1_000_000 }, 422, '2000'],
      [{ runs: names(100), metrics: names(21) }, 400, '2000'],
    ] as const) {
      const [status, message] = await refusal(body);
      expect(status).to.equal(refused);
      expect(message).to.contain(bound);
    }
  });

  it('leave out runs that are not there, or are being deleted', async () => {
    const made = await send('/api/rest/v2/write/experiment/create', {
      workspaceName: server.workspace,
      projectName: 'curves',
    });
    const { experimentKey } = (await made.json()) as { experimentKey: string }; // the row's reply
    await log(experimentKey, 'loss', (step) => step, 3);
    const asked = { runs: [experimentKey, 'a'.repeat(32)], metrics: ['loss'] };
    const before = await ask(asked);
    await fetch(
      `${server.url}/api/rest/v2/write/experiment/delete?experimentKey=${experimentKey}`,
      {
        headers: { authorization: server.apiKey },
      },
    );
    const after = await ask(asked);

    expect(before.series.map(({ run }) => run)).to.deep.equal([experimentKey]);
    expect([after.series, after.from]).to.deep.equal([[], null]);
  });
});
