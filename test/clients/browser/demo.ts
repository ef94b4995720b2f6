// A project as people have it: runs of one training script, of other parameters, whose curves look like curves.

export interface DemoRun {
  readonly key: string;
  readonly name: string;
}

/** The same numbers for the same seed. */
const chances = (seed: number) => {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 12), 0x297a2d39);
    mixed ^= mixed >>> 15;
    return (mixed >>> 0) / 2 ** 32;
  };
};

const curvesOf = (
  chance: () => number,
  { lr, steps, at }: { readonly lr: number; readonly steps: number; readonly at: number },
) => {
  const pace = 0.5 + Math.log10(lr / 1e-5) / 2;
  return Array.from({ length: steps }, (_, step) => {
    const done = step / steps;
    const noise = (size: number) => (chance() - 0.5) * size;
    const loss = 0.15 + 2.2 * Math.exp(-5 * done * pace) + noise(0.12);
    const accuracy = Math.min(0.98, 0.93 - 0.8 * Math.exp(-4 * done * pace)) + noise(0.015);
    const timestamp = at + step * 4000;
    return { step: step * 50, timestamp, loss, accuracy };
  });
};

/** Logs `count` runs over HTTP, a part of them at a time; every run has `steps` points of each metric. */
export const logDemo = async (
  server: { readonly url: string; readonly apiKey: string; readonly workspace: string },
  {
    project,
    count,
    steps = 120,
    now,
  }: {
    readonly project: string;
    readonly count: number;
    readonly steps?: number;
    readonly now: number;
  },
): Promise<readonly DemoRun[]> => {
  const send = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
    const reply = await fetch(server.url + path, {
      method: 'POST',
      headers: { authorization: server.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${await reply.text()}`);
    return (await reply.json()) as Record<string, unknown>; // an object, as every reply of the API
  };
  const logOne = async (at: number): Promise<DemoRun> => {
    const chance = chances(at + 7);
    const lr = [1e-4, 3e-4, 1e-3, 3e-3][at % 4] ?? 1e-4;
    const name = `${['vit', 'resnet', 'convnext'][at % 3] ?? 'vit'}-${String(at).padStart(3, '0')}`;
    const write = '/api/rest/v2/write/experiment';
    const made = await send(`${write}/create`, {
      workspaceName: server.workspace,
      projectName: project,
      experimentName: name,
    });
    const experimentKey = String(made['experimentKey']);
    const began = now - (count - at) * 600_000;
    const parameters = {
      lr,
      arch: name.split('-')[0] ?? '',
      batch_size: 64 << (at % 3),
      optimizer: at % 5 === 0 ? 'sgd' : 'adamw',
      epochs: 12,
      seed: at,
    };
    await send('/clientlib/batch/logger/experiment/parameter', {
      experimentKey,
      values: Object.entries(parameters).map(([parameterName, value]) => ({
        parameterName,
        parameterValue: String(value),
        timestamp: began,
      })),
    });
    const points = curvesOf(chance, { lr, steps, at: began });
    const metric = (metricName: string, of: (point: (typeof points)[number]) => number) =>
      points.map((point) => ({
        metricName,
        metricValue: String(of(point)),
        step: point.step,
        epoch: Math.floor(point.step / 500),
        timestamp: point.timestamp,
      }));
    await send('/clientlib/batch/logger/experiment/metric', {
      experimentKey,
      values: [
        ...metric('train/loss', ({ loss }) => loss),
        ...metric('val/acc', ({ accuracy }) => accuracy),
        ...metric('val/loss', ({ loss }) => loss * 1.08 + 0.02),
        ...metric('sys.gpu.0.utilization', () => 90 + chance() * 9),
      ],
    });
    if (at % 7 === 0)
      await send(`${write}/tags`, { experimentKey, addedTags: [at % 14 === 0 ? 'best' : 'sweep'] });
    if (at < count - 2)
      await send(`${write}/update-status`, {
        experimentKey,
        isAlive: false,
        hasCrashed: at % 11 === 5,
        ...(at % 11 === 5 ? { error: 'RuntimeError: CUDA out of memory' } : {}),
      });
    await send(`${write}/set-start-end-time`, {
      experimentKey,
      startTimeMillis: began,
      ...(at < count - 2 ? { endTimeMillis: began + steps * 4000 } : {}),
    });
    return { key: experimentKey, name };
  };
  const runs: DemoRun[] = [];
  for (let at = 0; at < count; at += 4)
    runs.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(4, count - at) }, (_, more) => logOne(at + more)),
      )),
    );
  return runs;
};
