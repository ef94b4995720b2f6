// Parameters, others, tags, texts and system details as the public clients send and read them.
import { expect } from 'chai';
import yauzl from 'yauzl';
import yazl from 'yazl';
import { pendingUnlessAll } from '#test/pending';
import { borrowServer, triedStorages, type StartedServer } from '../server.js';
import { callerOf, dressAs, type WireCaller } from './caller.js';

const rest = '/api/rest/v2';
const write = `${rest}/write`;
const at = 1_795_212_302_573;

const readZip = (bytes: Buffer): Promise<Record<string, string>> =>
  new Promise((resolve, reject) => {
    yauzl.fromBuffer(bytes, { lazyEntries: true }, (fault, archive) => {
      if (fault !== null) {
        reject(fault);
        return;
      }
      const entries: Record<string, string> = {};
      archive.on('entry', (entry: yauzl.Entry) => {
        archive.openReadStream(entry, (broken, stream) => {
          if (broken !== null) {
            reject(broken);
            return;
          }
          const pieces: Buffer[] = [];
          stream.on('data', (piece: Buffer) => pieces.push(piece));
          stream.on('end', () => {
            entries[entry.fileName] = Buffer.concat(pieces).toString();
            archive.readEntry();
          });
        });
      });
      archive.on('end', () => {
        resolve(entries);
      });
      archive.on('error', reject);
      archive.readEntry();
    });
  });

const makeZip = async (name: string, text: string): Promise<Buffer> => {
  const archive = new yazl.ZipFile();
  archive.addBuffer(Buffer.from(text), name);
  archive.end();
  const pieces: Buffer[] = [];
  for await (const piece of archive.outputStream) pieces.push(piece as Buffer); // no encoding is set on it
  return Buffer.concat(pieces);
};

for (const storage of triedStorages)
  describe(`what describes an experiment, on the wire on ${storage}`, function () {
    this.timeout(60_000);
    let server: StartedServer;
    let java: WireCaller;
    let r: WireCaller;
    let python: WireCaller;
    before('start a server', async function () {
      const started = await borrowServer({ storage, env: { ORRERY_CHECK_REPLIES: '1' } });
      if ('missing' in started) return pendingUnlessAll(this, started.missing);
      server = started;
      const dress = dressAs(server);
      [java, r, python] = [
        callerOf(server.url, dress.java),
        callerOf(server.url, dress.r),
        callerOf(server.url, dress.python),
      ];
    });
    after(() => (server as StartedServer | undefined)?.stop());

    const make = async (body: object = {}): Promise<string> => {
      const reply = await java.send('POST', `${write}/experiment/create`, {
        workspaceName: server.workspace,
        projectName: 'wire',
        disableHeartBeat: false,
        ...body,
      });
      expect(reply.status, reply.bytes.toString()).to.equal(200);
      return String(reply.json['experimentKey']);
    };
    const saved = (reply: { readonly status: number; readonly json: Record<string, unknown> }) => {
      expect(
        [reply.status, reply.json['code'], reply.json['sdk_error_code'], reply.json['data']],
        JSON.stringify(reply.json),
      ).to.deep.equal([200, 200, 0, null]);
    };
    const get = async (what: string, key: string) => {
      const reply = await python.get(`${rest}/experiment/${what}?experimentKey=${key}`);
      expect([reply.status, reply.type], reply.bytes.toString()).to.deep.equal([
        200,
        'application/json',
      ]);
      return reply.json;
    };
    const valuesOf = async (what: string, key: string) =>
      (await get(what, key))['values'] as readonly Record<string, unknown>[]; // 16.4: a list of objects
    const currentOf = async (what: string, key: string) =>
      Object.fromEntries(
        (await valuesOf(what, key)).map((value) => [String(value['name']), value['valueCurrent']]),
      );

    describe('a fresh experiment', () => {
      it('has its name as the one other, and nothing else', async () => {
        const key = await make({ experimentName: 'first' });

        expect(await currentOf('log-other', key)).to.deep.equal({ Name: 'first' });
        expect(await get('tags', key)).to.deep.equal({ tags: [] });
        expect(await get('html', key)).to.deep.equal({ html: null });
        expect(await get('graph', key)).to.deep.equal({ graph: null });
        expect(await get('output', key)).to.deep.equal({ output: '' });
        expect(await get('git/metadata', key)).to.deep.equal({
          user: null,
          root: null,
          branch: null,
          parent: null,
          origin: null,
        });
        expect(await valuesOf('parameters', key)).to.deep.equal([]);
      });

      it('shows every system detail, empty', async () => {
        const key = await make();

        expect(await get('system-details', key)).to.deep.equal({
          experimentKey: key,
          user: null,
          pythonVersion: null,
          pythonVersionVerbose: null,
          pid: null,
          osType: null,
          os: null,
          osRelease: null,
          machine: null,
          processor: null,
          ip: null,
          hostname: null,
          env: null,
          gpuStaticInfoList: [],
          logAdditionalSystemInfoList: [],
          systemMetricNames: [],
          maxTotalMemory: null,
          networkInterfaceIps: [],
          command: [],
          executable: null,
          osPackages: [],
          installedPackages: [],
          totalRam: null,
        });
      });
    });

    describe('parameters and others', () => {
      it('keeps the texts that Java sends, with the context as a prefix and an empty one as none', async () => {
        const key = await make();

        saved(
          await java.send('POST', `${write}/experiment/parameter`, {
            experimentKey: key,
            parameterName: 'rate',
            parameterValue: '122.0',
            step: 3,
            timestamp: at,
            context: 'train',
          }),
        );
        saved(
          await java.send('POST', `${write}/experiment/parameter`, {
            experimentKey: key,
            parameterName: 'bare',
            parameterValue: '1.0E-7',
            timestamp: at,
            context: '',
          }),
        );

        const [bare, rate] = await valuesOf('parameters', key);
        expect(bare).to.include({ name: 'bare', valueCurrent: '1.0E-7', runContextCurrent: null });
        expect(rate).to.include({
          name: 'train_rate',
          valueMin: '122.0',
          valueMax: '122.0',
          valueCurrent: '122.0',
          timestampCurrent: at,
          stepCurrent: 3,
          runContextCurrent: 'train',
        });
      });

      it('keeps the literal of numbers, booleans, nulls and lists that R and Python send', async () => {
        const key = await make();
        const send = (name: string, literal: string) =>
          r.send(
            'POST',
            `${write}/experiment/parameter`,
            `{"experimentKey":"${key}","parameterName":"${name}","parameterValue":${literal},"timestamp":${at}}`,
          );

        for (const [name, literal] of [
          ['a', '122.0'],
          ['b', '123456789012345678'],
          ['c', 'true'],
          ['d', 'null'],
          ['e', '[1,2,"x"]'],
          ['f', '"text"'],
          ['g', '{"k":1}'],
          ['h', 'NaN'],
          ['i', '1e-05'],
          ['j', '-Infinity'],
        ] as const)
          saved(await send(name, literal));

        expect(await currentOf('parameters', key)).to.deep.equal({
          a: '122.0',
          b: '123456789012345678',
          c: 'true',
          d: 'null',
          e: '[1,2,"x"]',
          f: 'text',
          g: '{"k":1}',
          h: 'NaN',
          i: '1e-05',
          j: '-Infinity',
        });
      });

      it('stores a live batch once, and leaves out only what is unusable', async () => {
        const key = await make();
        const value = (
          parameterName: unknown,
          parameterValue: unknown,
          context: string | null = null,
        ) => ({
          parameterName,
          parameterValue,
          step: null,
          source: 'manual',
          context,
          timestamp: at,
        });
        const batch = {
          experimentKey: key,
          values: [
            value('lr', 0.1),
            value(null, 1),
            value('', 2),
            value('flag', true),
            value('deep|rate', 'x', 'train'),
            value('nul', 'a\0b'),
          ],
        };

        saved(await python.sendPacked('/clientlib/batch/logger/experiment/parameter', batch));
        saved(
          await python.send('POST', `${write}/experiment/parameter`, {
            experimentKey: key,
            parameterName: 'lr',
            parameterValue: 0.2,
          }),
        );
        saved(await python.sendPacked('/clientlib/batch/logger/experiment/parameter', batch));

        expect(await currentOf('parameters', key)).to.deep.equal({
          lr: '0.2',
          flag: 'true',
          'train_deep|rate': 'x',
          nul: 'a\ufffdb',
        });
      });

      it('deletes one parameter, and several of several experiments', async () => {
        const [one, other] = [await make(), await make()];
        for (const key of [one, other])
          for (const name of ['a', 'b', 'c'])
            await r.send('POST', `${write}/experiment/parameter`, {
              experimentKey: key,
              parameterName: name,
              parameterValue: 1,
            });

        saved(
          await python.send('POST', `${write}/experiment/parameter/delete`, {
            experimentKey: one,
            parameterName: 'a',
          }),
        );
        saved(
          await python.send('POST', `${write}/experiments/parameters/delete`, [
            { experimentKey: one, parameterName: 'b' },
            { experimentKey: other, parameterName: 'c' },
          ]),
        );

        expect(Object.keys(await currentOf('parameters', one))).to.deep.equal(['c']);
        expect(Object.keys(await currentOf('parameters', other))).to.deep.equal(['a', 'b']);
      });

      it('deletes nothing when one experiment of the list is unknown', async () => {
        const key = await make();
        await r.send('POST', `${write}/experiment/parameter`, {
          experimentKey: key,
          parameterName: 'a',
          parameterValue: 1,
        });

        const reply = await python.send('POST', `${write}/experiments/parameters/delete`, [
          { experimentKey: key, parameterName: 'a' },
          { experimentKey: 'unknown'.repeat(5), parameterName: 'a' },
        ]);

        expect([reply.status, reply.json['sdk_error_code']]).to.deep.equal([400, 90211]);
        expect(Object.keys(await currentOf('parameters', key))).to.deep.equal(['a']);
      });

      it('renames the experiment by the other called Name', async () => {
        const key = await make({ experimentName: 'before' });

        saved(
          await java.send('POST', `${write}/experiment/log-other`, {
            experimentKey: key,
            key: 'Name',
            value: 'after',
            timestamp: at,
          }),
        );

        expect(await currentOf('log-other', key)).to.deep.equal({ Name: 'after' });
        expect(await get('metadata', key)).to.include({ experimentName: 'after' });
      });

      it('charts the current values of the parameters that are asked for', async () => {
        const key = await make();
        await r.send('POST', `${write}/experiment/parameter`, {
          experimentKey: key,
          parameterName: 'a',
          parameterValue: '0.10',
        });

        const reply = await python.send('POST', `${rest}/experiments/multi-metric-chart`, {
          targetedExperiments: [key],
          metrics: [],
          params: ['a', 'missing'],
        });

        expect(reply.json).to.deep.nested.include({
          [`experiments.${key}.params`]: { a: '0.10' },
          empty: false,
        });
      });

      it('copies parameters, others and tags into a new run that keeps its own name', async () => {
        const key = await make({ experimentName: 'old' });
        await python.send('POST', `${write}/experiment/parameter`, {
          experimentKey: key,
          parameterName: 'early',
          parameterValue: 1,
          step: 1,
        });
        await python.send('POST', `${write}/experiment/parameter`, {
          experimentKey: key,
          parameterName: 'late',
          parameterValue: 1,
          step: 9,
        });
        await python.send('POST', `${write}/experiment/log-other`, {
          experimentKey: key,
          key: 'o',
          value: 'v',
        });
        await python.send('POST', `${write}/experiment/tags`, {
          experimentKey: key,
          addedTags: ['t'],
        });
        const fresh = `copy${key.slice(4)}`;

        const reply = await python.send('POST', '/clientlib/logger/copy-steps-from-experiment', {
          apiKey: server.apiKey,
          copiedExperimentKey: key,
          newExperimentKey: fresh,
          stepToCopyTo: 5,
          localTimestamp: at,
          libVersion: '3.58.8',
        });

        expect(reply.status, reply.bytes.toString()).to.equal(200);
        const { Name, ...others } = await currentOf('log-other', fresh);
        expect(Name).not.to.equal('old');
        expect(others).to.deep.equal({ o: 'v' });
        expect(await currentOf('parameters', fresh)).to.deep.equal({ early: '1' });
        expect(await get('tags', fresh)).to.deep.equal({ tags: ['t'] });
      });

      it('takes the optimizer of an experiment from an other', async () => {
        const key = await make();

        saved(
          await python.send('POST', `${write}/experiment/log-other`, {
            experimentKey: key,
            key: 'optimizer_id',
            value: 'opt1',
            timestamp: at,
          }),
        );

        expect(await get('metadata', key)).to.include({ optimizationId: 'opt1' });
      });

      it('answers 400 with a code to an unknown experiment and to none', async () => {
        const unknown = await java.send('POST', `${write}/experiment/log-other`, {
          experimentKey: 'x'.repeat(32),
          key: 'a',
          value: 'b',
        });
        const none = await java.send('POST', `${write}/experiment/log-other`, {
          key: 'a',
          value: 'b',
        });

        expect([unknown.status, unknown.json['sdk_error_code']]).to.deep.equal([400, 90211]);
        expect(none.status).to.equal(400);
      });
    });

    describe('tags', () => {
      it('keeps order and each once, from REST and from a live run', async () => {
        const key = await make();

        saved(
          await java.send('POST', `${write}/experiment/tags`, {
            experimentKey: key,
            addedTags: ['z', 'a'],
          }),
        );
        saved(
          await python.send('POST', '/clientlib/tags/add-tags-to-experiment', {
            apiKey: server.apiKey,
            experimentKey: key,
            addedTags: ['a', 'm'],
          }),
        );
        saved(
          await python.send('POST', `${write}/experiment/tags/delete`, {
            experimentKey: key,
            tags: ['z'],
          }),
        );

        expect(await get('tags', key)).to.deep.equal({ tags: ['a', 'm'] });
      });
    });

    describe('texts', () => {
      it('adds HTML to the old, replaces it when told to, and takes a time a thousand times too large', async () => {
        const key = await make();

        saved(
          await java.send('POST', `${write}/experiment/html`, {
            experimentKey: key,
            html: '<b>one</b>',
            override: false,
            timestamp: at,
          }),
        );
        saved(
          await python.send('POST', `${write}/experiment/html`, {
            experimentKey: key,
            html: '<i>"two"</i>',
            timestamp: at * 1000,
          }),
        );
        expect(await get('html', key)).to.deep.equal({ html: '<b>one</b><i>"two"</i>' });
        saved(
          await r.send('POST', `${write}/experiment/html`, {
            experimentKey: key,
            html: 'new',
            override: true,
          }),
        );

        expect(await get('html', key)).to.deep.equal({ html: 'new' });
      });

      it('reads code and graph back as they were sent', async () => {
        const key = await make();
        const code = 'print("ü😀")\r\n\tx = 1\\n\u2028';

        saved(await r.send('POST', `${write}/experiment/code`, { experimentKey: key, code }));
        saved(
          await java.send('POST', `${write}/experiment/graph`, {
            experimentKey: key,
            graph: '{"a": [1.0]}',
          }),
        );

        expect(await get('code', key)).to.deep.equal({ code });
        expect(await get('graph', key)).to.deep.equal({ graph: '{"a": [1.0]}' });
      });

      it('orders the lines that Java sends in parallel, each with a newline behind it', async () => {
        const key = await make();

        const replies = await Promise.all(
          [3, 1, 0, 2].map((offset) =>
            java.send('POST', `${write}/experiment/output`, {
              experimentKey: key,
              runContext: null,
              outputLines: [
                { output: `line ${offset}`, stderr: offset === 2, localTimestamp: at, offset },
              ],
            }),
          ),
        );

        replies.forEach(saved);
        expect(await get('output', key)).to.deep.equal({
          output: 'line 0\nline 1\nline 2\nline 3\n',
        });
      });

      it('joins the fragments of a live run as they are and stores a request once', async () => {
        const key = await make();
        const body = (lines: readonly (readonly [string, number])[], stderr: boolean) => ({
          experimentKey: key,
          runContext: null,
          outputLines: lines.map(([output, offset]) => ({
            output,
            stderr,
            localTimestamp: 1_900_542,
            offset,
          })),
        });
        const path = '/clientlib/rest/v2/write/experiment/output';

        saved(
          await python.sendPacked(
            path,
            body(
              [
                ['printed', 1],
                ['\n', 2],
                [' ', 4],
              ],
              false,
            ),
          ),
        );
        saved(await python.sendPacked(path, body([['warned\n', 3]], true)));
        saved(
          await python.sendPacked(
            path,
            body(
              [
                ['printed', 1],
                ['\n', 2],
                [' ', 4],
              ],
              false,
            ),
          ),
        );

        expect(await get('output', key)).to.deep.equal({ output: 'printed\nwarned\n ' });
      });

      it('puts two calls of one client that count from 0 one after the other, even when they are the same', async () => {
        const key = await make();
        const body = {
          experimentKey: key,
          outputLines: [
            { offset: 0, output: 'a\n' },
            { offset: 1, output: 'b\n' },
          ],
        };

        saved(await r.send('POST', `${write}/experiment/output`, body));
        saved(await r.send('POST', `${write}/experiment/output`, body));

        expect(await get('output', key)).to.deep.equal({ output: 'a\nb\na\nb\n' });
      });
    });

    describe('git', () => {
      it('gives a plain patch back as a zip with one entry', async () => {
        const key = await make();

        saved(
          await r.sendFile(
            `${write}/experiment/git/patch?experimentKey=${key}`,
            Buffer.from('diff --git a b\n'),
            'x.patch',
          ),
        );

        const reply = await python.get(`${rest}/experiment/git/patch?experimentKey=${key}`);
        expect(reply.type).to.equal('application/octet-stream');
        expect(await readZip(reply.bytes)).to.deep.equal({ 'git_diff.patch': 'diff --git a b\n' });
      });

      it('gives a zipped patch of a live run back as it came', async () => {
        const key = await make();
        const zip = await makeZip('git_diff.patch', 'diff');

        saved(
          await python.sendFile(
            `/clientlib/git-patch/upload?experimentId=${key}&projectId=p`,
            zip,
            'filename',
          ),
        );

        expect(
          (await python.get(`${rest}/experiment/git/patch?experimentKey=${key}`)).bytes.equals(zip),
        ).to.equal(true);
      });

      it('refuses a zip that holds something else', async () => {
        const key = await make();

        const reply = await python.sendFile(
          `${write}/experiment/git/patch?experimentKey=${key}`,
          await makeZip('other.txt', 'x'),
          'filename',
        );

        expect(reply.status).to.equal(400);
      });

      it('answers JSON that begins with msg when there is no patch', async () => {
        const reply = await python.get(
          `${rest}/experiment/git/patch?experimentKey=${await make()}`,
        );

        expect([reply.status, reply.type, reply.bytes.subarray(0, 6).toString()]).to.deep.equal([
          200,
          'application/json',
          '{"msg"',
        ]);
      });

      it('shows the metadata that was set, null where null was sent', async () => {
        const key = await make();

        saved(
          await python.send('POST', `${write}/experiment/git/metadata`, {
            experimentKey: key,
            user: null,
            root: 'abc',
            branch: 'refs/heads/x',
            parent: 'def',
            origin: null,
          }),
        );

        expect(await get('git/metadata', key)).to.deep.equal({
          user: null,
          root: 'abc',
          branch: 'refs/heads/x',
          parent: 'def',
          origin: null,
        });
      });
    });

    describe('system', () => {
      it('merges details by field, takes one text for a list, and gathers additional ones by key', async () => {
        const key = await make();
        const path = '/clientlib/rest/v2/write/experiment/system-details';

        saved(
          await java.send('POST', `${write}/experiment/system-details`, {
            experimentKey: key,
            user: 'u',
            os: 'Linux',
            logAdditionalSystemInfoList: [
              { key: 'a', value: '1' },
              { key: 'b', value: '2' },
            ],
          }),
        );
        saved(
          await r.send('POST', `${write}/experiment/system-details`, {
            experimentKey: key,
            command: 'run.R',
            osPackages: 'one',
            pid: '12',
            user: null,
          }),
        );
        saved(
          await python.send('POST', path, {
            experimentKey: key,
            installedPackages: ['a==1', 'b==2'],
            env: { A: 'x' },
            totalRam: 1024,
            maxTotalMemory: 10.5,
            logAdditionalSystemInfoList: [{ key: 'b', value: '3' }],
            gpuStaticInfoList: [
              { gpuIndex: 0, name: 'g', uuid: 'u', totalMemory: 1, powerLimit: 2 },
            ],
          }),
        );
        saved(
          await python.send('POST', `${write}/experiment/metric`, {
            experimentKey: key,
            metricName: 'sys.ram.used',
            metricValue: 1,
          }),
        );

        expect(await get('system-details', key)).to.deep.include({
          user: 'u',
          os: 'Linux',
          command: ['run.R'],
          osPackages: ['one'],
          pid: 12,
          installedPackages: ['a==1', 'b==2'],
          env: { A: 'x' },
          totalRam: 1024,
          maxTotalMemory: 10.5,
          hostname: null,
          logAdditionalSystemInfoList: [
            { key: 'a', value: '1' },
            { key: 'b', value: '3' },
          ],
          gpuStaticInfoList: [{ gpuIndex: 0, name: 'g', uuid: 'u', totalMemory: 1, powerLimit: 2 }],
          systemMetricNames: ['sys.ram.used'],
        });
      });

      it('refuses GPUs that lack what tells them apart, and takes those of the live client, whose driver may not tell everything', async () => {
        const key = await make();
        const send = (gpu: object) =>
          python.send('POST', `${write}/experiment/system-details`, {
            experimentKey: key,
            gpuStaticInfoList: [gpu],
          });
        const whole = { gpuIndex: 0, name: 'g', uuid: 'u', totalMemory: 1, powerLimit: 2 };

        for (const [broken, sentence] of [
          [{ ...whole, gpuIndex: 'first' }, /gpuIndex of gpuStaticInfoList\[0\]/],
          [{ ...whole, name: 5 }, /name of/],
          [{ gpuIndex: 0, name: 'g' }, /uuid of/],
          [{ ...whole, totalMemory: 'much' }, /totalMemory of/],
        ] as const) {
          const refused = await send(broken);
          expect([refused.status, String(refused.json['msg'])]).to.satisfy(
            ([status, msg]: readonly [number, string]) => status === 400 && sentence.test(msg),
          );
        }
        saved(
          await send({ gpu_index: 0, name: 'g', uuid: 'u', power_limit: null, total_memory: 80 }),
        );

        expect((await get('system-details', key))['gpuStaticInfoList']).to.deep.equal([
          { gpu_index: 0, name: 'g', uuid: 'u', power_limit: null, total_memory: 80 },
        ]);
      });

      it('takes the file name from the path', async () => {
        const key = await make();

        saved(
          await python.send('POST', `${write}/experiment/file-path`, {
            experimentKey: key,
            filePath: '/home/u/train.py',
          }),
        );

        expect(await get('metadata', key)).to.include({
          filePath: '/home/u/train.py',
          fileName: 'train.py',
        });
      });

      it('accepts cloud details and dependencies', async () => {
        const key = await make();

        saved(
          await python.send('POST', `${write}/experiment/cloud-details`, {
            experimentKey: key,
            provider: 'aws',
            metadata: { zone: 'a' },
          }),
        );
        saved(
          await python.send('PUT', `${write}/experiment/dependencies`, {
            experimentKey: key,
            timestamp: at * 1000,
            logDependencies: [{ name: 'numpy', version: '1.0' }],
          }),
        );
      });
    });
  });
