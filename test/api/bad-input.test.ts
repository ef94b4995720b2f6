// Requests that no client sends: too large, too deep, cut off, packed wrongly, sent to nowhere. The server refuses each with a sentence and lives on.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { pendingUnlessAll } from '#test/pending';
import { startServer, type StartedServer } from '#test/clients/server';
import { encodeParts } from './sending.js';
import { freshName } from './fresh.js';

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly json: Record<string, unknown>;
}

const mebibyte = 1024 * 1024;
const write = '/api/rest/v2/write';
/** More than the server holds at rest, with one largest body beside it, and less than it would take to hold a bomb unpacked. */
const mostMemory = 1400 * mebibyte;

describe('bad input', () => {
  let server: StartedServer;
  let key: string;

  before('start a server', async function () {
    const started = await startServer({
      storage: 'embedded',
      apart: true,
      env: { ORRERY_CHECK_REPLIES: '1', ORRERY_LOG_LEVEL: 'error' },
    });
    if ('missing' in started) return pendingUnlessAll(this, started.missing);
    server = started;
  });
  after(() => server?.stop());

  const ask = (
    method: string,
    path: string,
    body?: Buffer | string | AsyncIterable<Buffer>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const sent = request(
        server.url + path,
        {
          method,
          agent: false, // a connection of its own: an idle one may be closed by the server just as it is taken again
          headers: {
            Authorization: server.apiKey,
            ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
            ...headers,
          },
        },
        (reply) => {
          const pieces: Buffer[] = [];
          reply.on('data', (piece: Buffer) => pieces.push(piece));
          reply.on('error', reject);
          reply.on('end', () => {
            const text = Buffer.concat(pieces).toString();
            resolve({
              status: reply.statusCode ?? 0,
              headers: reply.headers,
              text,
              get json() {
                return JSON.parse(text) as Record<string, unknown>;
              },
            });
          }); // every JSON reply of these wires is an object
        },
      );
      let answered = false;
      sent.on('response', () => {
        answered = true;
      });
      sent.on('error', (fault) => {
        if (!answered) reject(fault);
      }); // a server that refuses early closes while the rest is still on its way
      void (async () => {
        if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) {
          sent.end(body);
          return;
        }
        for await (const piece of body) {
          if (answered || sent.destroyed) break;
          if (!sent.write(piece))
            await new Promise((more) => {
              sent.once('drain', more);
              sent.once('close', more);
              sent.once('response', more);
            });
        }
        sent.end();
      })();
    });
  const post = async (path: string, body: unknown) => ask('POST', path, JSON.stringify(body));
  const metadata = () => ask('GET', `/api/rest/v2/experiment/metadata?experimentKey=${key}`);
  const refused = (reply: Reply, status = 400) => {
    expect(reply.status, reply.text).to.equal(status);
    expect(reply.headers['content-type']).to.equal('application/json');
    expect(reply.json).to.have.all.keys('msg', 'code', 'data', 'sdk_error_code');
    expect(reply.json['msg'])
      .to.be.a('string')
      .and.match(/^.{3,400}$/);
  };

  beforeEach(async () => {
    key = String(
      (
        await post(`${write}/experiment/create`, {
          workspaceName: server.workspace,
          projectName: 'bad',
        })
      ).json['experimentKey'],
    );
  });
  afterEach('the server lives, and holds no more than it should', async () => {
    expect((await metadata()).status).to.equal(200);
    const status = `/proc/${server.pid}/status`;
    if (existsSync(status))
      expect(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(status, 'utf8'))?.[1]) * 1024).to.be.below(
        mostMemory,
      );
  });

  describe('bodies', () => {
    for (const body of [
      '{',
      '{"experimentKey":',
      '{"a":1,}',
      "{'a':1}",
      'null',
      '5',
      '"x"',
      '[]',
      '[{}]',
      'true',
      'undefined',
      '\ufeff{}',
      '{"a":1}{"b":2}',
      '<xml/>',
      '\0',
      '{"a":\u0001}',
    ]) {
      it(`refuses ${JSON.stringify(body)}`, async () => {
        refused(await ask('POST', `${write}/experiment/metric`, body));
      });
    }

    it('takes an empty body for one that lacks everything', async () => {
      for (const body of ['', '  \n']) {
        const reply = await ask('POST', `${write}/experiment/metric`, body);
        refused(reply);
        expect(reply.json['sdk_error_code']).to.equal(90998);
      }
    });

    it('refuses bytes that are not UTF-8 as JSON, or keeps them readable', async () => {
      const reply = await ask(
        'POST',
        `${write}/experiment/metric`,
        Buffer.concat([
          Buffer.from(`{"experimentKey":"${key}","metricName":"`),
          Buffer.from([0xff, 0xfe, 0xc3]),
          Buffer.from('","metricValue":1}'),
        ]),
      );
      expect(reply.status).to.be.oneOf([200, 400]);
      expect(
        (await ask('GET', `/api/rest/v2/experiment/metrics/summary?experimentKey=${key}`)).status,
      ).to.equal(200);
    });

    it('refuses what is nested too deeply', async () => {
      for (const depth of [100, 20_000, 2_000_000])
        refused(
          await ask(
            'POST',
            `${write}/experiment/metric`,
            `{"experimentKey":"${key}","metricName":"a","metricValue":${'['.repeat(depth)}${']'.repeat(depth)}}`,
          ),
        );
      refused(
        await ask(
          'POST',
          `${write}/experiment/metric`,
          '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000),
        ),
      );
    });

    it('takes 50 MB of JSON, and gives it back', async function () {
      this.timeout(60_000);
      const html = 'h'.repeat(49 * 1_000_000);
      expect(
        (await post(`${write}/experiment/html`, { experimentKey: key, html })).status,
      ).to.equal(200);
      expect(
        (await ask('GET', `/api/rest/v2/experiment/html?experimentKey=${key}`)).json['html'],
      ).to.have.length(html.length);
    });

    it('refuses a body larger than it reads, said or unsaid', async () => {
      const said = await ask('POST', `${write}/experiment/html`, endless(90), {
        'Content-Length': String(90 * mebibyte),
      });
      refused(said, 413);
      refused(
        await ask('POST', `${write}/experiment/html`, endless(90), {
          'Transfer-Encoding': 'chunked',
        }),
        413,
      );
    });

    it('refuses what unpacks to more than it may hold', async () => {
      const bomb = gzipSync(Buffer.alloc(300 * mebibyte));
      for (const path of [
        `${write}/experiment/metric`,
        '/clientlib/batch/logger/experiment/metric',
      ])
        refused(await ask('POST', path, bomb, { 'Content-Encoding': 'gzip' }), 413);
      await Promise.all(
        Array.from({ length: 4 }, async () => {
          refused(
            await ask('POST', '/clientlib/batch/logger/experiment/metric', bomb, {
              'Content-Encoding': 'gzip',
            }),
            413,
          );
        }),
      );
    });

    it('refuses what unpacks to more where traces come, too, and keeps nothing of it', async () => {
      const project_name = 'unpacked';
      const trace = { id: '01930000-0000-7000-8000-00000000b0b0', project_name };
      const begun = `{"traces":[${JSON.stringify({ ...trace, start_time: '2026-01-01T00:00:00Z' })}`;
      const bombs = {
        '/v1/private/traces/batch': Buffer.concat([
          Buffer.from(begun),
          Buffer.alloc(300 * mebibyte, ' '),
          Buffer.from(']}'),
        ]),
        '/v1/private/spans/batch': Buffer.alloc(300 * mebibyte),
        '/v1/private/otel/v1/traces': Buffer.alloc(300 * mebibyte, 10),
      };
      for (const [path, bomb] of Object.entries(bombs)) {
        const type = path.includes('otel') ? 'application/x-protobuf' : 'application/json';
        const reply = await ask('POST', path, gzipSync(bomb), {
          'Content-Encoding': 'gzip',
          'Content-Type': type,
        });
        expect(reply.status, reply.text).to.equal(413);
        if (type === 'application/json') expect(reply.json['code']).to.equal(413);
      }
      const found = await ask('GET', `/v1/private/traces/${trace.id}`);
      expect(found.status).to.equal(404);
    });

    it('refuses a packing that it does not know, or that the body is not in', async () => {
      const packed = gzipSync(
        JSON.stringify({ experimentKey: key, metricName: 'a', metricValue: 1 }),
      );
      refused(
        await ask('POST', `${write}/experiment/metric`, packed, { 'Content-Encoding': 'zstd' }),
      );
      refused(
        await ask('POST', `${write}/experiment/metric`, packed, {
          'Content-Encoding': 'constructor',
        }),
      );
      refused(
        await ask('POST', `${write}/experiment/metric`, '{}', { 'Content-Encoding': 'gzip' }),
      );
      refused(
        await ask('POST', `${write}/experiment/metric`, packed.subarray(0, packed.length - 9), {
          'Content-Encoding': 'gzip',
        }),
      );
      expect(
        (await ask('GET', `/api/rest/v2/experiment/metrics/summary?experimentKey=${key}`)).json[
          'values'
        ],
      ).to.deep.equal([]);
    });

    it('serves others while bodies come slowly', async () => {
      const { hostname, port } = new URL(server.url);
      const slow = await Promise.all(
        Array.from(
          { length: 40 },
          () =>
            new Promise<ReturnType<typeof connect>>((resolve) => {
              const socket = connect(Number(port), hostname, () => {
                socket.write(
                  `POST ${write}/experiment/metric HTTP/1.1\r\nHost: a\r\nAuthorization: ${server.apiKey}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"`,
                );
                resolve(socket);
              });
              socket.on('error', () => undefined);
            }),
        ),
      );
      const began = Date.now();
      expect((await metadata()).status).to.equal(200);
      expect(Date.now() - began).to.be.below(5000);
      for (const socket of slow) socket.destroy();
    });

    it('stores nothing of a request that ends in the middle', async () => {
      const { hostname, port } = new URL(server.url);
      const { type, body } = encodeParts([
        { name: 'file', fileName: 'cut.bin', content: randomBytes(200_000) },
      ]);
      await new Promise<void>((resolve) => {
        const socket = connect(Number(port), hostname, () => {
          socket.write(
            `POST ${write}/experiment/upload-asset?experimentKey=${key} HTTP/1.1\r\nHost: a\r\nAuthorization: ${server.apiKey}\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`,
          );
          socket.write(body.subarray(0, 150_000), () => {
            socket.destroy();
          });
        });
        socket.on('error', () => undefined);
        socket.once('close', () => {
          resolve();
        });
      });
      expect(await assets()).to.deep.equal([]);
    });
  });

  const assets = async () =>
    (await ask('GET', `/api/rest/v2/experiment/asset/list?experimentKey=${key}`)).json[
      'assets'
    ] as readonly Record<string, unknown>[]; // the row's reply

  describe('multipart bodies', () => {
    const upload = (type: string, body: string | Buffer) =>
      ask('POST', `${write}/experiment/upload-asset?experimentKey=${key}&fileName=a`, body, {
        'Content-Type': type,
      });
    const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';

    for (const [what, type, body] of [
      ['no boundary', 'multipart/form-data', `${part}x\r\n--b--\r\n`],
      ['another type', 'application/json', '{}'],
      ['another boundary', 'multipart/form-data; boundary=c', `${part}x\r\n--b--\r\n`],
      ['no end', 'multipart/form-data; boundary=b', `${part}xxxx`],
      ['no part', 'multipart/form-data; boundary=b', '--b--\r\n'],
      ['nothing', 'multipart/form-data; boundary=b', ''],
      [
        'a part without a name',
        'multipart/form-data; boundary=b',
        '--b\r\nContent-Type: text/plain\r\n\r\nx\r\n--b--\r\n',
      ],
      ['noise', 'multipart/form-data; boundary=b', randomBytes(5000)],
      [
        'a part cut in its headers',
        'multipart/form-data; boundary=b',
        '--b\r\nContent-Disposition: form-da',
      ],
      [
        'thousands of parts',
        'multipart/form-data; boundary=b',
        `${'--b\r\nContent-Disposition: form-data; name="m"\r\n\r\nx\r\n'.repeat(5000)}--b--\r\n`,
      ],
      [
        'a part whose headers do not end',
        'multipart/form-data; boundary=b',
        `--b\r\n${'X-A: b\r\n'.repeat(50_000)}`,
      ],
    ] as const) {
      it(`are refused with ${what}, and leave nothing`, async () => {
        refused(await upload(type, body as string | Buffer));
        expect(await assets()).to.deep.equal([]);
      });
    }

    it('are refused where a leading part is no JSON', async () => {
      const { type, body } = encodeParts([
        { name: 'requestParams', content: '{' },
        { name: 'assetItemContent', fileName: 'a', content: 'x' },
      ]);
      refused(await ask('POST', '/clientlib/asset/asset-item', body, { 'Content-Type': type }));
      const large = encodeParts([
        { name: 'requestParams', content: `"${'x'.repeat(70_000)}"` },
        { name: 'assetItemContent', fileName: 'a', content: 'x' },
      ]);
      refused(
        await ask('POST', '/clientlib/asset/asset-item', large.body, {
          'Content-Type': large.type,
        }),
        413,
      );
    });
  });

  describe('places', () => {
    it('that do not exist answer 404 in the form of their wire', async () => {
      for (const path of [
        '/api/rest/v2/nothing',
        '/clientlib/nothing',
        '/api',
        '/api/rest/v3/projects',
      ]) {
        const reply = await ask('GET', path);
        refused(reply, 404);
      }
      for (const path of [
        '/.well-known/x',
        '/health/x',
        '/%2e%2e/%2e%2e/etc/passwd',
        '/metrics/x',
        '/a/b/c/d/e',
      ]) {
        const reply = await ask('GET', path);
        expect(
          [reply.status, reply.headers['content-type'], reply.json['code']],
          path,
        ).to.deep.equal([404, 'application/json', 404]);
        expect(reply.json['message']).to.be.a('string');
      }
      // One name alone is where a workspace is looked for.
      for (const path of ['/nothing', '/.env']) {
        const reply = await ask('GET', path);
        expect([reply.status, reply.headers['content-type']], path).to.deep.equal([
          404,
          'text/html; charset=utf-8',
        ]);
      }
    });

    it('answer another method with 405 and the ones they have', async () => {
      const reply = await ask('PUT', '/api/rest/v2/projects');
      refused(reply, 405);
      expect(reply.headers['allow']).to.match(/\bGET\b/);
      const other = await ask('GET', `${write}/experiment/metric`);
      refused(other, 405);
      expect(other.headers['allow']).to.equal('POST');
      expect((await ask('DELETE', '/health/live')).status).to.equal(405);
    });

    it('say which part of the address a client lacks that asks in the wrong place', async () => {
      const reply = await ask('POST', '/logger/add/run');
      expect([reply.status, reply.json['message']]).to.deep.equal([
        405,
        'POST is not served at /logger/add/run, but at /clientlib/logger/add/run: the address that the client was given may lack /clientlib',
      ]);
      const deep = await ask('GET', '/rest/v2/nothing/at/all');
      expect(deep.json['message']).to.equal('there is nothing at /rest/v2/nothing/at/all');
      const other = await ask('GET', `${write}/experiment/metric`);
      expect(String(other.json['msg'])).not.to.contain('lack');
    });

    it('with broken escapes in their address are refused', async () => {
      for (const path of [
        '/api/rest/v2/experiment/metadata?experimentKey=%',
        '/api/rest/v2/experiment/metadata?experimentKey=%ff%fe',
        '/clientlib/asset/%/thumbnail',
        '/api/rest/v2/write/experiment/%ff/mark-not-throttled',
        '/experiment/%e0%a4%a',
      ]) {
        const reply = await ask(
          path.includes('thumbnail') ? 'PUT' : path.includes('mark') ? 'POST' : 'GET',
          path,
        );
        expect(reply.status, `${path} ${reply.text}`).to.be.within(200, 499);
      }
    });

    it('refuse headers beyond their bounds', async () => {
      const reply = await ask('GET', '/health/live', undefined, { 'X-Long': 'x'.repeat(40_000) });
      expect(reply.status).to.equal(431);
    });

    it('take slashes in a row for one, and none for a host', async () => {
      for (const path of [
        '/api/rest//v2/experiment/metadata',
        '//api///rest/v2//experiment/metadata',
      ])
        expect((await ask('GET', `${path}?experimentKey=${key}`)).status, path).to.equal(200);
      expect(
        (await ask('GET', `//api/rest/v2/experiment/metadata?experimentKey=${key}`)).status,
      ).to.equal(200);
      expect((await ask('GET', '//evil.example/api')).status).to.equal(404);
    });
  });

  describe('names', () => {
    const names = [
      '../../etc/passwd',
      'n'.repeat(300),
      'a\u202egnp.exe',
      '\u200f\u05d0\u05d1',
      '🦄 é 漢',
      '__proto__',
      'constructor',
      'toString',
      "'; drop table metrics; --",
      '<script>alert(1)</script>',
      'a/b\\c',
      ' ends ',
      'null',
      '%00',
      'a\tb\nc',
      'İıſß',
      'e\u0301',
      '\u00e9',
    ];
    const names2 = (read: unknown, member: string) =>
      (read as readonly Record<string, unknown>[]).map((one) => one[member]); // lists of objects, as the rows say
    const values = async (path: string) =>
      names2(
        (await ask('GET', `/api/rest/v2/experiment/${path}?experimentKey=${key}`)).json['values'],
        'name',
      );

    it('of metrics come back', async () => {
      for (const metricName of names)
        expect(
          (
            await post(`${write}/experiment/metric`, {
              experimentKey: key,
              metricName,
              metricValue: '1',
            })
          ).status,
          metricName,
        ).to.equal(200);
      expect([...(await values('metrics/summary'))].sort()).to.deep.equal([...names].sort());
      for (const name of names)
        expect(
          (
            await ask(
              'GET',
              `/api/rest/v2/experiment/metrics/get-metric?${new URLSearchParams({ experimentKey: key, metricName: name }).toString()}`,
            )
          ).json['metrics'],
          name,
        ).to.have.length(1);
      const chart = (
        await post('/api/rest/v2/experiments/multi-metric-chart', {
          targetedExperiments: [key],
          metrics: names,
        })
      ).json['experiments'] as Record<string, { metrics: readonly unknown[] }>; // the row's reply
      expect(chart[key]?.metrics).to.have.length(names.length);
    });

    it('of parameters, others and tags come back', async () => {
      for (const name of names) {
        expect(
          (
            await post(`${write}/experiment/parameter`, {
              experimentKey: key,
              parameterName: name,
              parameterValue: name,
            })
          ).status,
          name,
        ).to.equal(200);
        expect(
          (
            await post(`${write}/experiment/log-other`, {
              experimentKey: key,
              key: name,
              value: name,
            })
          ).status,
          name,
        ).to.equal(200);
      }
      expect(
        (await post(`${write}/experiment/tags`, { experimentKey: key, addedTags: names })).status,
      ).to.equal(200);
      expect([...(await values('parameters'))].sort()).to.deep.equal([...names].sort());
      expect((await values('log-other')).filter((name) => name !== 'Name').sort()).to.deep.equal(
        [...names].sort(),
      );
      expect(
        (await ask('GET', `/api/rest/v2/experiment/tags?experimentKey=${key}`)).json['tags'],
      ).to.deep.equal(names);
      const chart = (
        await ask(
          'POST',
          '/api/rest/v2/experiments/multi-metric-chart',
          JSON.stringify({ targetedExperiments: [key], params: names }),
        )
      ).text;
      expect(chart).to.include('"__proto__":"__proto__"');
    });

    it('of assets and models come back', async () => {
      for (const name of names) {
        const { type, body } = encodeParts([{ name: 'file', fileName: 'x', content: name }]);
        const reply = await ask(
          'POST',
          `${write}/experiment/upload-asset?${new URLSearchParams({ experimentKey: key, fileName: name, type: 'model-element', groupingName: name }).toString()}`,
          body,
          { 'Content-Type': type },
        );
        expect(reply.status, reply.text).to.equal(200);
        expect(
          (
            await ask(
              'GET',
              `/api/rest/v2/experiment/asset/get-asset?${new URLSearchParams({ experimentKey: key, assetId: String(reply.json['assetId']) }).toString()}`,
            )
          ).text,
        ).to.equal(name);
      }
      expect(names2(await assets(), 'fileName').sort()).to.deep.equal([...names].sort());
      expect(
        names2(
          (await ask('GET', `/api/rest/v2/experiment/model?experimentKey=${key}`)).json['models'],
          'modelName',
        ).sort(),
      ).to.deep.equal([...names].sort());
      for (const name of names) {
        const zip = await ask(
          'GET',
          `/api/rest/v2/experiment/model/download?${new URLSearchParams({ experimentKey: key, modelName: name }).toString()}`,
        );
        expect([zip.status, zip.text.slice(0, 2)], name).to.deep.equal([200, 'PK']);
        expect(zip.text, name).to.not.include('../');
      }
    });

    it('of projects come back, and each is found by its own', async () => {
      const start = freshName('p');
      for (const name of names) {
        const projectName = `${start}${name}`;
        const made = await post(`${write}/project/create`, {
          workspaceName: server.workspace,
          projectName,
        });
        expect(made.status, made.text).to.equal(200);
        const found = await ask(
          'GET',
          `/api/rest/v2/project?${new URLSearchParams({ workspaceName: server.workspace, projectName }).toString()}`,
        );
        expect([found.json['projectId'], found.json['projectName']]).to.deep.equal([
          made.json['projectId'],
          projectName,
        ]);
      }
    });

    it('of experiments come back', async () => {
      for (const experimentName of names) {
        const made = await post(`${write}/experiment/create`, {
          workspaceName: server.workspace,
          projectName: 'named',
          experimentName,
        });
        const read = await ask(
          'GET',
          `/api/rest/v2/experiment/metadata?experimentKey=${String(made.json['experimentKey'])}`,
        );
        expect(read.json['experimentName']).to.equal(experimentName);
      }
    });

    it('of members of a store come back as they were', async () => {
      const { projectId } = (
        await post(`${write}/project/create`, {
          workspaceName: server.workspace,
          projectName: freshName('store'),
        })
      ).json;
      const store = `{${names.map((name) => `${JSON.stringify(name)}:{"__proto__":{"a":1}}`).join(',')}}`;
      expect(
        (
          await ask(
            'POST',
            `${write}/project/store`,
            `{"projectId":"${String(projectId)}","instanceId":"__proto__","store":${store}}`,
          )
        ).status,
      ).to.equal(200);
      const read = await ask(
        'GET',
        `/api/rest/v2/project/store?projectId=${String(projectId)}&instanceId=__proto__`,
      );
      expect(read.text).to.equal(`{"store":${store}}`);
    });

    it('with NUL are refused where one is named, and kept without it in a batch', async () => {
      refused(
        await post(`${write}/experiment/metric`, {
          experimentKey: key,
          metricName: 'a\0b',
          metricValue: 1,
        }),
      );
      refused(
        await ask(
          'GET',
          `/api/rest/v2/experiment/metrics/get-metric?experimentKey=${key}&metricName=a%00b`,
        ),
      );
      expect(
        (
          await post('/clientlib/batch/logger/experiment/metric', {
            experimentKey: key,
            values: [
              { metricName: 'a\0b', metricValue: 1 },
              { metricName: 'c', metricValue: 2 },
            ],
          })
        ).status,
      ).to.equal(200);
      expect([...(await values('metrics/summary'))].sort()).to.deep.equal(['a\ufffdb', 'c']);
    });
  });

  describe('half of what is wrong', () => {
    it('is not stored where one item of several is unfit', async () => {
      refused(
        await post(`${write}/experiment/gpu-metrics`, {
          experimentKey: key,
          gpus: [
            { gpuId: 0, freeMemory: 1, usedMemory: 1, gpuUtilization: 1, totalMemory: 1 },
            { gpuId: 1 },
          ],
        }),
      );
      refused(
        await post(`${write}/experiment/system-details`, {
          experimentKey: key,
          user: 'somebody',
          pid: 'none',
        }),
      );
      refused(
        await post(`${write}/experiment/output`, {
          experimentKey: key,
          outputLines: [{ output: 'a' }, { output: {} }],
        }),
      );
      refused(
        await post(`${write}/experiment/tags`, { experimentKey: key, addedTags: ['a', { b: 1 }] }),
      );
      expect(
        (await ask('GET', `/api/rest/v2/experiment/metrics/summary?experimentKey=${key}`)).json[
          'values'
        ],
      ).to.deep.equal([]);
      expect(
        (await ask('GET', `/api/rest/v2/experiment/system-details?experimentKey=${key}`)).json[
          'user'
        ],
      ).to.equal(null);
      expect(
        (await ask('GET', `/api/rest/v2/experiment/output?experimentKey=${key}`)).json['output'],
      ).to.equal('');
      expect(
        (await ask('GET', `/api/rest/v2/experiment/tags?experimentKey=${key}`)).json['tags'],
      ).to.deep.equal([]);
    });

    it('is not deleted where one of several keys is unknown', async () => {
      await post(`${write}/experiment/parameter`, {
        experimentKey: key,
        parameterName: 'a',
        parameterValue: '1',
      });
      refused(
        await post(`${write}/experiments/parameters/delete`, [
          { experimentKey: key, parameterName: 'a' },
          { experimentKey: 'unknown', parameterName: 'a' },
        ]),
      );
      expect(
        (await ask('GET', `/api/rest/v2/experiment/parameters?experimentKey=${key}`)).json[
          'values'
        ],
      ).to.have.length(1);
    });
  });
});

async function* endless(mebibytes: number): AsyncIterable<Buffer> {
  for (let i = 0; i < mebibytes; i++) yield Buffer.alloc(mebibyte, 0x20);
}
