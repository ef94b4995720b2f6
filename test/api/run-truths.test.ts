// What pages are told of many runs in one call, held against figures computed here from all that was logged.
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { borrowServer, type StartedServer } from '#test/clients/server';
import { freshName } from './fresh.js';
import { send, type Answer, type Input } from './sending.js';

interface GroupColumn {
  readonly n: readonly number[];
  readonly mean: readonly (number | null)[];
  readonly deviation: readonly (number | null)[];
  readonly min: readonly (number | null)[];
  readonly max: readonly (number | null)[];
}
interface Groups {
  readonly groups: readonly { readonly keys: readonly unknown[]; readonly runs: number }[];
  readonly columns: readonly GroupColumn[];
}
interface Section {
  readonly section: string;
  readonly equal: number;
  readonly differing: number;
  readonly differences: readonly {
    readonly name: string;
    readonly values: readonly (string | null)[];
    readonly bytes: readonly (number | null)[] | null;
  }[];
}
interface Curve {
  readonly points: number;
  readonly bucket: readonly number[];
  readonly last: readonly number[];
  readonly min: readonly number[];
  readonly max: readonly number[];
  readonly mean: readonly number[];
  readonly count: readonly number[];
}
interface Curves {
  readonly from: number;
  readonly to: number;
  readonly buckets: number;
  readonly series: readonly Curve[];
}
interface Logged {
  readonly step: number;
  readonly value: number;
}

describe('what is told of many runs in one call is true of all that was logged', () => {
  let server: StartedServer;
  before(async () => {
    const started = await borrowServer({ storage: 'embedded', env: { ORRERY_CHECK_REPLIES: '1' } });
    if ('missing' in started) throw new Error(started.missing);
    server = started;
  });
  after(() => server.stop());

  const ask = async (method: string, path: string, input: Partial<Input>): Promise<Answer> => {
    const answer = await send(
      server.url,
      method,
      path,
      { query: {}, params: {}, ...input },
      server.apiKey,
    );
    expect(answer.status, `${path}: ${answer.text}`).to.equal(200);
    return answer;
  };
  const write = (path: string, body: unknown) =>
    ask('POST', `/api/rest/v2/write/experiment/${path}`, { body });
  const makeRun = async (projectName: string): Promise<string> => {
    const made = await write('create', { workspaceName: server.workspace, projectName });
    return String(made.json['experimentKey']);
  };
  const logPoints = (experimentKey: string, metricName: string, points: readonly Logged[]) =>
    ask('POST', '/clientlib/batch/logger/experiment/metric', {
      body: {
        experimentKey,
        values: points.map(({ step, value }, at) => ({
          ...{ metricName, metricValue: String(value), step },
          timestamp: 1_700_000_000_000 + at,
        })),
      },
    });

  describe('of groups of runs', () => {
    interface Made {
      readonly optimizer: string | undefined;
      readonly losses: readonly number[];
      readonly archived: boolean;
    }
    const made: Made[] = [];
    let project: string;
    before(async () => {
      const name = freshName('groups');
      for (let at = 0; at < 15; at++) {
        const one: Made = {
          optimizer: [undefined, 'adam', 'sgd', 'null', 'rare'][at === 14 ? 4 : at % 4],
          losses: at % 5 === 3 || at === 14 ? [] : [at * 1.5, at / 3, NaN, -at, 1e6 + at],
          archived: at % 6 === 5,
        };
        made.push(one);
        const run = await makeRun(name);
        if (one.optimizer !== undefined)
          await write('parameter', {
            ...{ experimentKey: run, parameterName: 'optimizer' },
            parameterValue: one.optimizer,
          });
        const points = one.losses.map((value, step) => ({ value, step }));
        if (points.length > 0) await logPoints(run, 'loss', points);
        if (one.archived)
          await ask('GET', '/api/rest/v2/write/experiment/archive', {
            query: { experimentKey: run },
          });
        const meta = await ask('GET', '/api/rest/v2/experiment/metadata', {
          query: { experimentKey: run },
        });
        project = String(meta.json['projectId']);
      }
    });

    const truthOf = (values: readonly number[]) => {
      const n = values.length;
      const mean = values.reduce((sum, one) => sum + one, 0) / n;
      const squares = values.reduce((sum, one) => sum + (one - mean) ** 2, 0);
      return n === 0
        ? { n, mean: null, deviation: null, min: null, max: null }
        : {
            ...{ n, mean, min: Math.min(...values), max: Math.max(...values) },
            deviation: n === 1 ? null : Math.sqrt(squares / (n - 1)),
          };
    };
    const pick = (losses: readonly number[], value: 'last' | 'min' | 'max'): readonly number[] => {
      const finite = losses.filter(Number.isFinite);
      if (finite.length === 0) return [];
      if (value === 'last') return finite.slice(-1);
      return [value === 'min' ? Math.min(...finite) : Math.max(...finite)];
    };

    for (const archived of [false, true])
      it(`have their figures, and runs without the value a group of their own: ${archived ? '' : 'not '}archived`, async () => {
        const values = ['last', 'min', 'max'] as const;
        const { json } = await ask('POST', '/v1/private/ui/runs/groups', {
          body: {
            ...{ project, archived, by: [{ kind: 'parameter', name: 'optimizer' }] },
            columns: values.map((value) => ({ kind: 'metric', name: 'loss', value })),
          },
        });

        const told = json as unknown as Groups; // the row's reply
        const among = made.filter((one) => one.archived === archived);
        const names = [...new Set(among.map(({ optimizer }) => optimizer ?? null))];
        expect(told.groups.map(({ keys }) => keys)).to.have.deep.members(names.map((one) => [one]));
        for (const [at, group] of told.groups.entries()) {
          const members = among.filter(({ optimizer }) => (optimizer ?? null) === group.keys[0]);
          expect(group.runs, String(group.keys[0])).to.equal(members.length);
          for (const [column, value] of values.entries()) {
            const truth = truthOf(members.flatMap(({ losses }) => pick(losses, value)));
            const said = told.columns[column];
            for (const figure of ['n', 'mean', 'deviation', 'min', 'max'] as const) {
              const [one, other] = [said?.[figure][at], truth[figure]];
              const about = `${group.keys[0]} ${value} ${figure}`;
              if (typeof other !== 'number') expect(one, about).to.equal(other);
              else expect(one, about).to.be.closeTo(other, 1e-9 * Math.max(1, Math.abs(other)));
            }
          }
        }
      });
  });

  describe('of code and patch', () => {
    interface Source {
      readonly files: Readonly<Record<string, string>>;
      readonly code?: string;
      readonly patch?: string;
    }
    const makeSource = async (name: string, { files, code, patch }: Source): Promise<string> => {
      const experimentKey = await makeRun(name);
      for (const [fileName, content] of Object.entries(files))
        await ask('POST', '/api/rest/v2/write/experiment/upload-asset', {
          query: { experimentKey, fileName, type: 'source_code' },
          parts: [{ name: 'file', fileName, content }],
        });
      if (code !== undefined) await write('code', { experimentKey, code });
      if (patch !== undefined)
        await ask('POST', '/api/rest/v2/write/experiment/git/patch', {
          query: { experimentKey },
          parts: [{ name: 'file', fileName: 'diff.patch', type: 'text/plain', content: patch }],
        });
      return experimentKey;
    };
    const compare = async (sources: readonly Source[]) => {
      const name = freshName('source');
      const runs: string[] = [];
      for (const source of sources) runs.push(await makeSource(name, source));
      const { json } = await ask('POST', '/v1/private/ui/diff', { body: { runs } });
      expect(json['runs']).to.deep.equal(runs);
      return (name: string) =>
        (json['sections'] as readonly Section[]).find(({ section }) => section === name); // the row's reply
    };
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
    const bytes = (text: string | undefined) =>
      text === undefined ? null : Buffer.byteLength(text);

    it('names each file that differs or that only some have, by digest, line ends counted', async () => {
      const same = 'import torch\n';
      const files: readonly Readonly<Record<string, string>>[] = [
        { 'a.py': same, 'train.py': 'lr = 1\n', 'ends.py': 'x\ny\n', 'only.py': 'ü\n' },
        { 'a.py': same, 'train.py': 'lr = 2\n', 'ends.py': 'x\r\ny\r\n' },
        { 'a.py': same, 'train.py': 'lr = 1\n', 'ends.py': 'x\ny\n' },
      ];
      const section = await compare(files.map((one) => ({ files: one })));

      const names = ['ends.py', 'only.py', 'train.py'];
      expect(section('code')).to.deep.equal({
        ...{ section: 'code', equal: 1, differing: 3 },
        differences: names.map((name) => ({
          name,
          values: files.map((one) => (one[name] === undefined ? null : sha256(one[name]))),
          bytes: files.map((one) => bytes(one[name])),
        })),
      });
      expect(section('patch')).to.deep.include({ equal: 0, differing: 0, differences: [] });
    });

    it('tells texts of code and patches apart, those over a megabyte and by their last byte', async () => {
      const long = '+ line\n'.repeat(200_000);
      const sources: readonly Source[] = [
        { files: {}, code: 'a = 1\nb = 2\n', patch: `${long}1` },
        { files: {}, code: 'a = 1\r\nb = 2\r\n', patch: `${long}2` },
        { files: {}, code: 'a = 1\nb = 2\n', patch: `${long}1` },
        { files: {} },
      ];
      const section = await compare(sources);

      for (const kind of ['code', 'patch'] as const) {
        const told = section(kind);
        expect([told?.equal, told?.differing], kind).to.deep.equal([0, 1]);
        const [difference] = told?.differences ?? [];
        const [first, second, third, none] = difference?.values ?? [];
        expect(first, kind).to.be.a('string').and.not.equal('');
        expect([first === second, first === third, none], kind).to.deep.equal([false, true, null]);
        // A patch is kept as a zip, so that its size is that of the zip.
        if (kind === 'code')
          expect(difference?.bytes).to.deep.equal(sources.map(({ code }) => bytes(code)));
        else
          expect(difference?.bytes?.map((one) => one === null)).to.deep.equal([
            false,
            false,
            false,
            true,
          ]);
      }
    });

    it('finds nothing among equal runs, and nothing where none has code', async () => {
      const one: Source = { files: { 'a.py': 'x\n' }, code: 'y\n', patch: 'z\n' };
      const equal = await compare([one, one]);
      const bare = await compare([{ files: {} }, { files: {} }]);

      expect(equal('code')).to.deep.include({ equal: 2, differing: 0, differences: [] });
      expect(equal('patch')).to.deep.include({ equal: 1, differing: 0, differences: [] });
      expect(bare('code')).to.deep.include({ equal: 0, differing: 0, differences: [] });
    });
  });

  describe('of curves over another metric', () => {
    const isHole = (step: number) => step % 1000 >= 900;
    /** Points of two metrics: some steps twice, some that one of them lacks, some that are no number. */
    const makePoints = (steps: number) => {
      const all = Array.from({ length: steps }, (_, step) => step);
      const loss = all
        .filter((step) => step % 1000 < 400 || step % 1000 >= 500)
        .flatMap((step): readonly Logged[] => [
          { step, value: step % 97 === 5 ? NaN : step % 89 === 3 ? Infinity : Math.sin(step / 50) },
          ...(step % 7 === 0 ? [{ step, value: Math.cos(step / 50) }] : []),
        ])
        .map((one) => (one.step === Math.floor(steps * 0.66) ? { ...one, value: 1e6 } : one));
      const seen = all
        .filter((step) => !isHole(step))
        .flatMap((step): readonly Logged[] => [
          ...(step % 11 === 0 ? [{ step, value: step * 4 }] : []),
          { step, value: step * 4 + 1 },
        ]);
      return { loss, seen };
    };
    const draw = async (steps: number, buckets: number) => {
      const run = await makeRun('over');
      const { loss, seen } = makePoints(steps);
      for (let at = 0; at < loss.length; at += 4000)
        await logPoints(run, 'loss', loss.slice(at, at + 4000));
      for (let at = 0; at < seen.length; at += 4000)
        await logPoints(run, 'seen', seen.slice(at, at + 4000));
      const { json } = await ask('POST', '/v1/private/ui/series', {
        body: { runs: [run], metrics: ['loss'], x: 'metric', xMetric: 'seen', buckets },
      });
      const places = new Map(seen.map(({ step, value }) => [step, value]));
      const truth = loss.flatMap(({ step, value }) => {
        const x = places.get(step);
        return x === undefined || !Number.isFinite(value) ? [] : [{ x, value }];
      });
      return { told: json as unknown as Curves, truth }; // the row's reply
    };
    const bucketIn = ({ from, to, buckets }: Curves, x: number) =>
      Math.min(buckets - 1, Math.floor(((x - from) / (to - from)) * buckets));

    it('joins each step that both have, with all its points, where steps are few', async () => {
      const { told, truth } = await draw(1500, 60);

      const [curve] = told.series;
      expect([told.from, told.to]).to.deep.equal([truth[0]?.x, truth.at(-1)?.x]);
      expect(curve?.points).to.equal(truth.length);
      for (const [at, bucket] of (curve?.bucket ?? []).entries()) {
        const values = truth.filter(({ x }) => bucketIn(told, x) === bucket).map((p) => p.value);
        expect(curve?.count[at]).to.equal(values.length);
        expect(curve?.min[at]).to.equal(Math.min(...values));
        expect(curve?.max[at]).to.equal(Math.max(...values));
        expect(curve?.last[at]).to.equal(values.at(-1));
        expect(curve?.mean[at]).to.be.closeTo(values.reduce((a, b) => a + b) / values.length, 1e-9);
      }
      const filled = new Set(truth.map(({ x }) => bucketIn(told, x)));
      expect(curve?.bucket).to.deep.equal([...filled]);
    });

    it('leaves out no point and no extreme beyond 2,000 steps, and misplaces none by a bucket', async () => {
      const { told, truth } = await draw(7000, 60);

      const [curve] = told.series;
      expect(curve?.count.reduce((a, b) => a + b)).to.equal(curve?.points);
      const widest = (told.to - told.from) / told.buckets;
      expect([told.from, told.to]).to.satisfy(
        ([from, to]: readonly [number, number]) =>
          Math.abs(from - (truth[0]?.x ?? NaN)) < widest &&
          Math.abs(to - (truth.at(-1)?.x ?? NaN)) < widest,
      );
      const near = (bucket: number, reach: number) =>
        truth.filter(({ x }) => Math.abs(bucketIn(told, x) - bucket) <= reach).map((p) => p.value);
      for (const [at, bucket] of (curve?.bucket ?? []).entries()) {
        const around = near(bucket, 1);
        expect(curve?.min[at]).to.be.at.least(Math.min(...around));
        expect(curve?.max[at]).to.be.at.most(Math.max(...around));
      }
      for (let bucket = 0; bucket < told.buckets; bucket++) {
        const here = near(bucket, 0);
        const beside = (curve?.bucket ?? []).flatMap((one, at) =>
          Math.abs(one - bucket) <= 1 ? [at] : [],
        );
        if (here.length === 0) continue;
        const [low, high] = [curve?.min ?? [], curve?.max ?? []];
        expect(Math.min(...beside.map((at) => low[at] ?? NaN))).to.be.at.most(Math.min(...here));
        expect(Math.max(...beside.map((at) => high[at] ?? NaN))).to.be.at.least(Math.max(...here));
      }
      expect(Math.max(...(curve?.max ?? []))).to.equal(1e6);
      // Where a step of one metric has no partner, one in its span of at most four steps may stand for it.
      const edges = 4 * 4 * 7;
      expect(curve?.points).to.be.within(truth.length - edges, truth.length + edges);
    });
  });
});
