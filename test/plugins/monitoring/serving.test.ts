// Alerts from the first event to the receiver of a channel, and the end of a workspace, on a server as it is served, on each database.
import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { pluginTables } from '#adapters/storage/sql/plugin-tables';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import { systemClock } from '#adapters/system/clock';
import { systemIds } from '#adapters/system/ids';
import { systemZip } from '#adapters/system/zip';
import { tables } from '#plugins/monitoring/needs';
import { storeItems } from '#plugins/monitoring/storing';
import { takeFile } from '#plugins/monitoring/uploading';
import { freshName } from '#test/api/fresh';
import { openBeside, startServer, triedStorages, type StartedServer } from '#test/clients/server';
import { pendingUnlessAll } from '#test/pending';

interface Json {
  readonly [name: string]: unknown;
}

for (const storage of triedStorages)
  describe(`monitored models on a server over ${storage}`, function () {
    this.timeout(120_000);
    let server: StartedServer | undefined;
    const received: Json[] = [];
    const receiver = createServer((request, reply) => {
      let text = '';
      request.on('data', (piece: Buffer) => {
        text += piece.toString();
      });
      request.on('end', () => {
        received.push(JSON.parse(text) as Json); // channels send objects
        reply.end();
      });
    });
    before('start a server', async function () {
      await new Promise<void>((ready) => {
        receiver.listen(0, '127.0.0.1', ready);
      });
      const started = await startServer({
        storage,
        env: { ORRERY_CHECK_REPLIES: '1', ORRERY_ALLOW_PRIVATE_TARGETS: '127.0.0.1' },
      });
      if ('missing' in started) return pendingUnlessAll(this, started.missing);
      server = started;
    });
    after(async () => {
      await server?.stop();
      receiver.close();
    });

    const running = (): StartedServer => {
      if (server === undefined) throw new Error('there is no server');
      return server;
    };
    const ask = async (method: string, path: string, body?: unknown): Promise<Json> => {
      const { url, apiKey } = running();
      const reply = await fetch(url + path, {
        method,
        headers: { Authorization: apiKey, 'Content-Type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await reply.text();
      if (!reply.ok) throw new Error(`${method} ${path} answered ${reply.status}: ${text}`);
      return JSON.parse(text) as Json; // every row asked here answers an object
    };
    const sendEvents = (workspaceName: string, modelName: string, n: number) =>
      ask('POST', '/mpm/v2/events/batch', {
        data: Array.from({ length: n }, (_, place) => ({
          ...{ workspaceName, modelName, modelVersion: '1', predictionId: `p${place}` },
          features: { age: place % 7, region: place % 2 === 0 ? 'eu' : 'us' },
          predictions: { value: 'yes' },
        })),
      });
    const modelOf = async (workspaceName: string): Promise<string> => {
      const path = `/api/mpm/v3/workspaces/${encodeURIComponent(workspaceName)}`;
      const { models } = (await ask('GET', path)) as {
        readonly models: readonly { readonly modelId: string }[];
      }; // that row's reply
      return models[0]?.modelId ?? '';
    };

    it('tell the channels of an alert what it found, and show who was told', async () => {
      const { workspace } = running();
      await sendEvents(workspace, 'watched', 20);
      const modelId = await modelOf(workspace);
      const { port } = receiver.address() as AddressInfo; // it listens on a port
      const { channelId } = await ask('POST', '/api/rest/v2/write/channels', {
        ...{ workspaceName: workspace, kind: 'http', name: 'Room' },
        ...{ target: `http://127.0.0.1:${port}/` },
      });
      const { alertId } = await ask('POST', '/api/mpm/v2/alerts', {
        ...{ modelId, name: 'many', type: 'VOLUME', window: '1h', critical: 10 },
        ...{ description: 'Call Ada.', channels: [channelId] },
      });
      const path = `/api/mpm/v2/alerts/${String(alertId)}`;

      const { told } = await ask('POST', `${path}/evaluate`, {});
      const again = await ask('POST', `${path}/evaluate`, {});
      expect([(told as readonly Json[]).length, again['told']]).to.deep.equal([1, []]);
      for (let turn = 0; turn < 300 && received.length === 0; turn++) await wait(200);

      expect(received).to.have.length(1);
      expect(received[0]).to.deep.include({
        ...{ event: 'FIRING', alertId, modelId, modelName: 'watched', workspaceName: workspace },
        ...{ level: 'critical', value: 20, threshold: 10, description: 'Call Ada.' },
      });
      let shown: Json = {};
      for (let turn = 0; turn < 50; turn++) {
        const page = await ask('GET', `/api/mpm/v2/monitor-notification?modelId=${modelId}`);
        shown = (page['notifications'] as readonly Json[])[0] ?? {};
        if (JSON.stringify(shown['deliveries']).includes('DELIVERED')) break;
        await wait(100);
      }
      expect(shown['deliveries']).to.deep.equal([
        { channel: channelId, status: 'DELIVERED', attempts: 1, lastError: null },
      ]);
      expect(shown).to.deep.include({ state: 'FIRING', workspaceName: workspace });
      expect((await ask('POST', `${path}/ack`, {}))['state']).to.equal('ACKNOWLEDGED');
      const until = Date.now() + 60_000;
      expect((await ask('POST', `${path}/mute`, { until }))['state']).to.equal('MUTED');
      expect((await ask('POST', `${path}/mute`, {}))['muteUntil']).to.equal(null);
    });

    it('answer statements of administrators, and the newest events', async () => {
      const { workspace: workspaceName } = running();
      await sendEvents(workspaceName, 'watched', 20);
      const modelName = 'watched';

      const { rows, rowCount } = await ask('POST', '/api/mpm/v2/admin/query', {
        ...{ workspaceName, modelName },
        sql: 'SELECT region, COUNT(*) AS n FROM MODEL GROUP BY region ORDER BY region',
      });
      expect([rows, rowCount]).to.deep.equal([
        [
          { region: 'eu', n: 10 },
          { region: 'us', n: 10 },
        ],
        2,
      ]);
      const modelId = await modelOf(workspaceName);
      // What the language of metrics does not read is answered by the engine for analytic queries.
      const ranked = await ask('POST', '/api/mpm/v2/admin/query', {
        ...{ workspaceName, modelName },
        sql: 'SELECT region, age, row_number() OVER (PARTITION BY region ORDER BY age DESC) AS place FROM MODEL QUALIFY place = 1 ORDER BY region',
      });
      expect(ranked['rows']).to.deep.equal([
        { region: 'eu', age: 6, place: 1 },
        { region: 'us', age: 6, place: 1 },
      ]);
      const { data } = await ask('POST', '/api/mpm/v2/custom-metrics/query', {
        modelId,
        predicates: [{ key: 'eu', query: 'region=eu' }],
        cometSql:
          'WITH m AS (SELECT age FROM model) SELECT max(age) FROM m WHERE age < (SELECT max(age) FROM m)',
      });
      const [series] = data as readonly { readonly data: readonly Json[] }[]; // that row's reply
      expect([series?.data.length, series?.data.at(-1)?.['y']]).to.deep.equal([31, 5]);
      expect(
        await ask('POST', '/api/mpm/v2/custom-metrics/query', {
          modelId,
          cometSql: 'SELECT count(*) FROM traces',
        }).catch((thrown: unknown) => (thrown as Error).message), // made by ask
      ).to.match(
        /answered 400: .*table traces is not granted.*the only table is model at position 22/,
      );
      const { events } = await ask(
        'GET',
        `/api/rest/v2/mpm/recent_events?modelId=${modelId}&limit=3`,
      );
      expect((events as readonly Json[]).map(({ modelVersion }) => modelVersion)).to.deep.equal([
        '1',
        '1',
        '1',
      ]);
      expect(
        await ask('GET', `/api/rest/v2/mpm/recent_events?modelId=${modelId}&limit=5000`).catch(
          (thrown: unknown) => (thrown as Error).message, // made by ask
        ),
      ).to.include('limit must be at most 50');
      expect((await ask('GET', `/api/mpm/model/${modelId}`))['versions']).to.deep.equal(['1']);
      const features = await ask(
        'GET',
        `/api/mpm/v2/features/search?workspaceName=${encodeURIComponent(workspaceName)}&includeMetrics=true`,
      );
      expect(
        (features['features'] as readonly Json[]).map(({ name, metrics }) => [name, metrics]),
      ).to.have.deep.members([
        ['age', { values: 20, missing: 0 }],
        ['region', { values: 20, missing: 0 }],
        ['value', { values: 20, missing: 0 }],
      ]);
    });

    it('lead to the registered version and its run, and back', async () => {
      const { workspace: workspaceName } = running();
      const { experimentKey } = await ask('POST', '/api/rest/v2/write/experiment/create', {
        ...{ workspaceName, projectName: 'p' },
      });
      const { url, apiKey } = running();
      const query = new URLSearchParams({
        ...{ experimentKey: String(experimentKey), fileName: 'net.bin', type: 'model-element' },
        groupingName: 'net',
      }).toString();
      const form = new FormData();
      form.append('file', new Blob(['bytes']), 'net.bin');
      const uploaded = await fetch(`${url}/api/rest/v2/write/experiment/upload-asset?${query}`, {
        ...{ method: 'POST', headers: { Authorization: apiKey }, body: form },
      });
      expect(uploaded.status).to.equal(200);
      const { registryModelItemId } = await ask(
        'POST',
        '/api/rest/v2/write/registry-model/item/create',
        {
          ...{ experimentKey, experimentModelName: 'net', registryModelName: 'Watched Net' },
          version: '1.0.0',
        },
      );
      await ask('POST', '/mpm/v2/events', {
        ...{ workspaceName, modelName: 'prod', modelVersion: '1.0.0', predictionId: 'a' },
        features: { age: 1 },
      });
      const { models } = await ask(
        'GET',
        `/api/mpm/v3/workspaces/${encodeURIComponent(workspaceName)}`,
      );
      const modelId = (models as readonly Json[]).find(({ modelName }) => modelName === 'prod')?.[
        'modelId'
      ];
      const lineage = () => ask('GET', `/api/mpm/v2/lineage?modelId=${String(modelId)}`);
      const registeredIn = (found: Json) =>
        (found['versions'] as readonly Json[])[0]?.['registered'];
      expect(registeredIn(await lineage())).to.equal(null);
      await ask('PATCH', '/api/mpm/v2/model/settings', {
        ...{ modelId, registryModelName: 'Watched Net' },
      });

      const found = registeredIn(await lineage()) as Json; // it is linked now
      expect([found['registryModelItemId'], found['experimentKey']]).to.deep.equal([
        registryModelItemId,
        experimentKey,
      ]);
      expect((found['nodes'] as readonly Json[]).map(({ type }) => type)).to.have.members([
        'modelVersion',
        'run',
      ]);
      const back = new URLSearchParams({
        ...{ workspaceName, registryModelName: 'watched-net', version: '1.0.0' },
      }).toString();
      const monitored = await ask('GET', `/api/mpm/v2/lineage/monitored?${back}`);
      expect(
        (monitored['models'] as readonly Json[]).map(({ modelName }) => modelName),
      ).to.deep.equal(['prod']);
    });

    it('are exported with a manifest, deleted by id and by a filter, and their faults are counted by hour', async () => {
      const { workspace: workspaceName, url, apiKey } = running();
      await sendEvents(workspaceName, 'kept', 20);
      const wrong = {
        ...{ workspaceName, modelName: 'kept', modelVersion: '1', predictionId: 'wrong' },
        features: { age: [1] },
      };
      await ask('POST', '/mpm/v2/events/batch', { data: [wrong, wrong] });
      await sendEvents(workspaceName, 'kept', 20);
      const path = `/api/mpm/v3/workspaces/${encodeURIComponent(workspaceName)}`;
      const { models } = await ask('GET', path);
      const modelId = String(
        (models as readonly Json[]).find(({ modelName }) => modelName === 'kept')?.['modelId'],
      );
      const manifest = async (): Promise<Json> => {
        const reply = await fetch(`${url}/api/mpm/v2/events/export?modelId=${modelId}`, {
          headers: { Authorization: apiKey },
        });
        expect(reply.headers.get('content-type')).to.include('application/zip');
        const bytes = new Uint8Array(await reply.arrayBuffer());
        const entries = await systemZip.unpack(bytes, { most: 2, bytes: 100_000 });
        return JSON.parse(entries[1]?.text ?? '{}') as Json; // as the export writes it
      };
      expect(await manifest()).to.deep.include({ rows: 20, eventsBySums: 20 });

      const counted = await ask('GET', `/api/mpm/v2/ingestion-errors/hours?modelId=${modelId}`);
      expect(counted['counts']).to.deep.equal({ NESTED_VALUE: 2, RESENT: 20 });
      const errors = await ask('GET', `/api/mpm/v2/ingestion-errors?modelId=${modelId}`);
      expect([errors['counts'], errors['total']]).to.deep.equal([{ NESTED_VALUE: 2 }, 1]);

      const remove = (asked: object) =>
        ask('POST', '/api/mpm/v2/events/delete', { modelId, ...asked });
      expect(await remove({ predictionId: 'p4' })).to.deep.equal({ deleted: 1, days: 1 });
      expect(await remove({ filter: 'region=us' })).to.deep.equal({ deleted: 10, days: 1 });
      expect(await manifest()).to.deep.include({ rows: 9, eventsBySums: 9 });
      await ask('PATCH', '/api/mpm/v2/model/settings', {
        ...{ modelId, bounds: { age: { min: 1, max: 5 } } },
      });
      const { features } = await ask('GET', `/api/mpm/v2/quality?modelId=${modelId}&name=age`);
      const points = (features as readonly { readonly points: readonly Json[] }[])[0]?.points; // that row's reply
      const ages = [0, 2, 6, 8, 10, 12, 14, 16, 18].map((place) => place % 7);
      expect(points?.at(-1)).to.deep.include({
        ...{ events: 9, distinct: new Set(ages).size },
        outOfRange: ages.filter((age) => age < 1 || age > 5).length,
      });
    });

    it('hold a file once that two processes take in at once', async () => {
      const { workspace: workspaceName, url, apiKey } = running();
      const rows = Array.from({ length: 4000 }, (_, row) => `p${row},${row}`);
      const text = ['predictionId,feature_row', ...rows].join('\n');
      await sendEvents(workspaceName, 'twice', 1);
      const { models, workspaceId } = await ask(
        'GET',
        `/api/mpm/v3/workspaces/${encodeURIComponent(workspaceName)}`,
      );
      const modelId = (models as readonly Json[]).find(({ modelName }) => modelName === 'twice')?.[
        'modelId'
      ];
      const form = new FormData();
      const fields = { workspaceName, modelName: 'twice', modelVersion: '1' };
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      form.append('file', new Blob([text], { type: 'text/csv' }), 'a.csv');
      const beside = await openBeside(running());
      try {
        const { connection } = beside.storage as SqlStorage; // as every driver of the product opens it
        const own = pluginTables(connection, 'monitoring', tables);
        const needs = { tables: own, ids: systemIds, clock: systemClock };
        const content = async function* () {
          yield await Promise.resolve(Buffer.from(text));
        };
        const replies = await Promise.all([
          takeFile(
            {
              ...{ ...needs, dedupDays: 7 },
              reach: () => Promise.resolve({ id: String(workspaceId) }),
              store: (...given) => storeItems(needs, ...given),
            },
            content(),
            { ...fields, datasetName: undefined, missing: new Set(['']) },
            { of: 'events' },
          ),
          fetch(`${url}/mpm/v2/data/events/csv`, {
            ...{ method: 'POST', headers: { Authorization: apiKey }, body: form },
          }).then((reply) => reply.text()),
        ]);
        const told = replies.map((reply) => JSON.parse(reply) as Readonly<Record<string, number>>); // one line each
        const sum = (name: string) => told.reduce((all, one) => all + (one[name] ?? 0), 0);
        // One row has the id of the event that was there.
        expect([sum('accepted'), sum('duplicates'), sum('rejected')]).to.deep.equal([
          4000, 4000, 0,
        ]);
      } finally {
        await beside.close();
      }
      const countOf = async (cometSql: string): Promise<number> => {
        const { data } = await ask('POST', '/api/mpm/v2/custom-metrics/query', {
          ...{ modelId, cometSql },
        });
        const [series] = data as readonly {
          readonly data: readonly { readonly y: number | null }[];
        }[]; // that row's reply
        return series?.data.reduce((all, { y }) => all + (y ?? 0), 0) ?? 0;
      };
      expect(await countOf('SELECT count(*) FROM model')).to.equal(4000);
      expect(await countOf('SELECT sum(feature_row) FROM model')).to.equal((4000 * 3999) / 2);
    });

    it('come as a file whose client is told of 50,000 rows while it still sends, and why it breaks off', async () => {
      const { workspace, url, apiKey } = running();
      const part = (name: string, value: string, more = '') =>
        `--cut\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
      const fields = Object.entries({
        ...{ workspaceName: workspace, modelName: 'told', modelVersion: '1', datasetName: 'set' },
      }).map(([name, value]) => part(name, value));
      const rows = 'feature_a,feature_b\n' + '1,"x, y"\n'.repeat(50_100);
      /** The reply to a file that begins so, and goes on once that has begun. */
      const replyTo = async (rest: string) => {
        const request = httpRequest(`${url}/mpm/v2/dataset/events/csv`, {
          method: 'POST',
          headers: {
            ...{ Authorization: apiKey, 'Content-Type': 'multipart/form-data; boundary=cut' },
          },
        });
        const [file] = part('file', '', '; filename="a.csv"').split('\r\n\r\n');
        request.write(`${fields.join('')}${file}\r\n\r\n${rows}`);
        const reply = await new Promise<IncomingMessage>((resolve, reject) => {
          request.once('response', resolve);
          request.once('error', reject);
        });
        request.on('error', () => undefined); // it breaks off with its reply
        request.end(`${rest}\r\n--cut--\r\n`);
        let [text, isWhole] = ['', true];
        try {
          for await (const piece of reply) text += String(piece);
        } catch {
          isWhole = false;
        }
        return { status: reply.statusCode, lines: text.trimEnd().split('\n'), isWhole };
      };

      const whole = await replyTo('2,z\n'.repeat(50_000));
      expect([whole.status, whole.isWhole, whole.lines.slice(0, -1)]).to.deep.equal([
        200,
        true,
        ['50000 rows', '100000 rows'],
      ]);
      expect(JSON.parse(whole.lines.at(-1) ?? '')).to.include({ rows: 100_100, accepted: 100_100 });

      // What is left of it is read, so that a client that sends all of a file before it reads anything sees why.
      const broken = await replyTo(`2,"x"y\n${'3,z\n'.repeat(2_000_000)}`);
      expect([broken.status, broken.isWhole, broken.lines[0]]).to.deep.equal([
        200,
        false,
        '50000 rows',
      ]);
      expect(JSON.parse(broken.lines[1] ?? '')).to.deep.equal({
        code: 400,
        msg: 'the CSV file goes on behind the quotes of a cell, in row 50102',
        sdk_error_code: 0,
      });
    });

    it('come as a file that is refused at its beginning, however much of it follows', async () => {
      const { workspace: workspaceName, url, apiKey } = running();
      const rest = '1,x\n'.repeat(3_000_000);
      const part = (name: string, value: string, more = '') =>
        `--cut\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
      /** The reply to a client that reads nothing before it has sent all. */
      const replyTo = async (fields: object, files: readonly string[]): Promise<string> => {
        const request = httpRequest(`${url}/mpm/v2/data/events/csv`, {
          method: 'POST',
          headers: {
            ...{ Authorization: apiKey, 'Content-Type': 'multipart/form-data; boundary=cut' },
          },
        });
        const replied = once(request, 'response') as Promise<[IncomingMessage]>;
        replied.catch(() => undefined); // told below
        request.write(
          Object.entries(fields)
            .map(([name, value]) => part(name, value))
            .join(''),
        );
        for (const text of files) request.write(part('file', text, '; filename="a.csv"'));
        request.end('--cut--\r\n');
        await once(request, 'finish');
        const [reply] = await replied;
        let text = `${reply.statusCode} `;
        for await (const piece of reply) text += String(piece);
        return text;
      };
      const right = { workspaceName, modelName: 'early', modelVersion: '1' };
      const header = 'feature_a,feature_b\n';
      for (const [fields, text, says] of [
        [{ ...right, modelVersion: '' }, '1,x\n', /^400 .*the part modelVersion is missing/],
        [{ ...right, workspaceName: 'nobodys' }, '1,x\n', /^403 .*there is no such workspace/],
        [right, '1,"x"y\n', /^400 .*goes on behind the quotes of a cell, in row 2/],
      ] as const)
        expect(await replyTo(fields, [`${header}${text}${rest}`])).to.match(says);
      const two = await replyTo(right, ['feature_a\n1\n', 'feature_a\n2\n']);
      expect(two).to.match(/^400 .*second part file/);
    });

    it('take what is right of a batch of odd items, and keep a reason for each of the others', async () => {
      const { workspace: workspaceName, url, apiKey } = running();
      const base = { workspaceName, modelName: 'odd', modelVersion: '1' };
      const item = (predictionId: string | undefined, more: object, features = '{"age":1}') =>
        JSON.stringify({ ...base, predictionId, ...more }).replace(
          /\}$/,
          `,"features":${features}}`,
        );
      const wide = Array.from({ length: 10_000 }, (_, at) => `"f${at}":${at}`).join();
      const items = [
        item('good', {}),
        item('missing', {}, '{"age":NaN,"size":-Infinity}'),
        item('finite', {}, '{"age":1e999}'),
        item('text', {}, '{"age":"old"}'),
        item('past', { timestamp: 1 }),
        item('future', { timestamp: Date.parse('2100-01-01') }),
        item('wide', {}, `{${wide}}`),
        item(undefined, {}),
        item('nested', {}, '{"age":{"years":1}}'),
      ];
      const reply = await fetch(`${url}/mpm/v2/events/batch`, {
        method: 'POST',
        headers: { Authorization: apiKey, 'Content-Type': 'application/json' },
        body: `{"data":[${items.join()}]}`,
      });
      const told = (await reply.json()) as Json; // that row's reply
      expect([reply.status, told['accepted'], told['rejected']]).to.deep.equal([200, 3, 6]);
      const { models } = await ask(
        'GET',
        `/api/mpm/v3/workspaces/${encodeURIComponent(workspaceName)}`,
      );
      const modelId = (models as readonly Json[]).find(({ modelName }) => modelName === 'odd')?.[
        'modelId'
      ];
      const kept = await ask('GET', `/api/mpm/v2/ingestion-errors?modelId=${String(modelId)}`);
      expect(
        (kept['errors'] as readonly Json[]).map(({ reason, predictionId }) => [
          reason,
          predictionId,
        ]),
      ).to.have.deep.members([
        ['NOT_FINITE', 'finite'],
        ['TYPE_CHANGED', 'text'],
        ['TIMESTAMP_TOO_OLD', 'past'],
        ['TIMESTAMP_FUTURE', 'future'],
        ['TOO_MANY_FIELDS', 'wide'],
        ['MISSING_FIELD', null],
        ['NESTED_VALUE', 'nested'],
      ]);
      const { features } = await ask('GET', `/api/mpm/v2/quality?modelId=${String(modelId)}`);
      const points = (features as readonly { readonly points: readonly Json[] }[])[0]?.points; // that row's reply
      expect(points?.at(-1)).to.deep.include({ events: 3, missingCount: 1, typeMismatch: 1 });
    });

    it('come in batches as large as the settings say, and count once within the days of theirs', async () => {
      const own = await startServer({
        storage,
        env: {
          EVENTS_MAX_PAYLOAD_SIZE_KB: '4',
          LABELS_MAX_PAYLOAD_SIZE_KB: '2',
          MPM_DEDUP_RETENTION_DAYS: '2',
        },
      });
      if ('missing' in own) throw new Error(own.missing);
      try {
        const base = { workspaceName: own.workspace, modelName: 'sized', modelVersion: '1' };
        const send = async (path: string, item: object): Promise<readonly [number, Json]> => {
          const reply = await fetch(`${own.url}/mpm/v2/${path}`, {
            method: 'POST',
            headers: { Authorization: own.apiKey, 'Content-Type': 'application/json' },
            body: JSON.stringify({ data: [{ ...base, predictionId: 'p', ...item }] }),
          });
          // The client would send the same again.
          expect(reply.headers.get('Retry-After')).to.equal(null);
          return [reply.status, (await reply.json()) as Json]; // that row's reply
        };
        const long = (letters: number) => 'x'.repeat(letters);
        const day = 86_400_000;
        const now = Date.now();
        for (const [path, item, status, accepted] of [
          ['events/batch', { features: { a: long(3000) }, timestamp: now }, 200, 1],
          ['events/batch', { features: { a: long(5000) } }, 413, undefined],
          ['labels/batch', { labels: { value: long(1500) } }, 200, 1],
          ['labels/batch', { labels: { other: long(3000) } }, 413, undefined],
          // The same id within two days is the same event, and another one beyond.
          ['events/batch', { features: { a: 'other' }, timestamp: now - day }, 200, 0],
          ['events/batch', { features: { a: 'other' }, timestamp: now - 3 * day }, 200, 1],
        ] as const) {
          const [told, body] = await send(path, item);
          expect([told, body['accepted']], JSON.stringify(item).slice(0, 60)).to.deep.equal([
            status,
            accepted,
          ]);
          if (status === 413) expect(body['msg']).to.match(/^a batch has at most [24] KB$/);
        }
      } finally {
        await own.stop();
      }
    });

    it('are closed to keys that are narrowed to reading, to another workspace, or to a project', async () => {
      const { url } = running();
      const made = [freshName('closed'), freshName('other')];
      for (const name of made) {
        await ask('POST', '/api/rest/v2/write/workspace/new', { name });
        await sendEvents(name, 'closed', 3);
      }
      const [workspaceName = '', other = ''] = made;
      const modelId = await modelOf(workspaceName);
      const { projectId } = await ask('POST', '/api/rest/v2/write/project/create', {
        ...{ workspaceName, projectName: freshName('project') },
      });
      const keyOf = async (more: object): Promise<string> =>
        String(
          (await ask('POST', '/api/auth/keys', { name: freshName('key'), ...more }))['apiKey'],
        );
      const item = {
        ...{ workspaceName, modelName: 'closed', modelVersion: '1', predictionId: 'new' },
        ...{ features: { age: 1 }, labels: { value: 'no' } },
      };
      const file = () => {
        const form = new FormData();
        const fields = { ...item, datasetName: 'set', features: '', labels: '' };
        for (const [name, value] of Object.entries(fields)) form.append(name, value);
        form.append('file', new Blob(['feature_age,label_value_value\n1,no']), 'a.csv');
        return form;
      };
      const call = async (key: string, method: string, path: string, body?: object) => {
        const isForm = body instanceof FormData;
        const reply = await fetch(url + path, {
          method,
          headers: {
            Authorization: key,
            ...(isForm ? {} : { 'Content-Type': 'application/json' }),
          },
          ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
        });
        return [reply.status, await reply.text()] as const;
      };
      const sums = {
        ...{ workspaceName, modelName: 'closed', modelVersion: '1', profileId: 'p' },
        profiles: [{ timestamp: Date.now(), events: 1, fields: [] }],
      };
      const query = `modelId=${modelId}`;
      const writes: readonly (readonly [string, string, () => object | undefined])[] = [
        ['POST', '/mpm/v2/events/batch', () => ({ data: [item] })],
        ['POST', '/mpm/v2/events', () => item],
        ['POST', '/mpm/v2/labels/batch', () => [item]],
        ['POST', '/mpm/v2/labels', () => item],
        ['POST', '/mpm/v2/profiles/batch', () => sums],
        ['POST', '/mpm/v2/data/events/csv', file],
        ['POST', '/mpm/v2/data/labels/csv', file],
        ['POST', '/mpm/v2/dataset/events/csv', file],
        ['POST', '/api/mpm/v2/alerts', () => ({ modelId, name: 'a', type: 'SILENCE' })],
        ['POST', '/api/mpm/v2/segments', () => ({ modelId, name: 's', filter: 'age=1' })],
        ['POST', '/api/mpm/v2/baselines', () => ({ modelId, kind: 'moving', movingDays: 2 })],
        ['POST', '/api/mpm/v2/events/delete', () => ({ modelId, predictionId: 'p1' })],
        ['PATCH', '/api/mpm/v2/model/settings', () => ({ modelId, rawDays: 2 })],
        ['DELETE', `/api/mpm/model/${modelId}`, () => undefined],
      ];
      const reads: readonly (readonly [string, string, () => object | undefined])[] = [
        ['GET', `/api/mpm/v2/model/details?${query}`, () => undefined],
        ['GET', `/api/mpm/model/${modelId}`, () => undefined],
        ['GET', `/api/mpm/v3/workspaces/${encodeURIComponent(workspaceName)}`, () => undefined],
        ['POST', '/api/mpm/v2/model/numberOfPredictions', () => ({ modelId })],
        ['POST', '/api/mpm/v2/features/drift', () => ({ modelId, name: 'age' })],
        ['GET', `/api/mpm/v2/quality?${query}`, () => undefined],
        ['GET', `/api/mpm/v2/performance?${query}`, () => undefined],
        ['GET', `/api/mpm/v2/ingestion-errors?${query}`, () => undefined],
        ['GET', `/api/mpm/v2/monitor-notification?${query}`, () => undefined],
        ['GET', `/api/mpm/v2/events/export?${query}`, () => undefined],
        ['GET', `/api/rest/v2/mpm/recent_events?${query}`, () => undefined],
        ['GET', `/api/mpm/v2/lineage?${query}`, () => undefined],
      ];
      const [reading, elsewhere, ofProject] = [
        await keyOf({ readOnly: true, workspaceName }),
        await keyOf({ workspaceName: other }),
        await keyOf({ workspaceName, projectId }),
      ];

      for (const [method, path, body] of [...reads, ...writes])
        for (const [kind, key] of Object.entries({ elsewhere, ofProject })) {
          const [status, text] = await call(key, method, path, body());
          // The wire of tracking says 400 of what is not there.
          const isRefused = status === 403 || status === 404 || /not found/.test(text);
          expect(
            isRefused && status >= 400,
            `${kind} ${method} ${path}: ${status} ${text}`,
          ).to.equal(true);
          expect(text, `${kind} ${method} ${path}`).to.not.include('region');
        }
      for (const [method, path, body] of reads) {
        const [status, text] = await call(reading, method, path, body());
        expect(status, `${method} ${path}: ${text}`).to.equal(200);
      }
      for (const [method, path, body] of writes) {
        const [status, text] = await call(reading, method, path, body());
        expect(status, `${method} ${path}: ${text}`).to.equal(403);
      }

      const listed = JSON.parse((await call(elsewhere, 'GET', '/api/mpm/v3/workspaces'))[1]) as {
        readonly workspaces: readonly Json[];
      }; // that row's reply
      expect(listed.workspaces.map((one) => one['workspaceName'])).to.deep.equal([other]);
      const [, none] = await call(ofProject, 'GET', '/api/mpm/v3/workspaces');
      expect(none).to.not.include(modelId);
      const { data } = await ask('POST', '/api/mpm/v2/custom-metrics/query', {
        ...{ modelId, cometSql: 'SELECT count(*) FROM model' },
      });
      const [series] = data as readonly { readonly data: readonly { readonly y: number }[] }[]; // that row's reply
      expect(series?.data.reduce((sum, { y }) => sum + y, 0)).to.equal(3);
    });

    it('keep what they have as long as their workspace says', async () => {
      const name = freshName('workspace');
      await ask('POST', '/api/rest/v2/write/workspace/new', { name });
      const path = `/api/mpm/v2/workspaces/${encodeURIComponent(name)}/retention`;
      expect(await ask('GET', path)).to.include({ rawDays: 395, sumDays: 1825 });
      expect(await ask('PATCH', path, { rawDays: 30 })).to.include({ rawDays: 30, sumDays: 1825 });
      await sendEvents(name, 'kept', 3);
      const modelId = await modelOf(name);
      expect(await ask('GET', `/api/mpm/v2/model/settings?modelId=${modelId}`)).to.include({
        rawDays: 30,
      });
    });

    it('may be sums that a client sends, of which no event comes here', async () => {
      const { workspace: workspaceName } = running();
      const sent = {
        ...{ workspaceName, modelName: 'summed', modelVersion: '1', profileId: 'first' },
        profiles: [
          {
            ...{ timestamp: Date.now(), events: 10 },
            fields: [
              { name: 'age', source: 'feature', numbers: { centroids: [[40.5, 9]] } },
              { name: 'region', source: 'feature', texts: { eu: 9 }, otherTexts: 1 },
            ],
          },
        ],
      };
      const first = await ask('POST', '/mpm/v2/profiles/batch', sent);
      expect(first).to.include({ code: 200, accepted: 1, duplicates: 0 });
      expect(await ask('POST', '/mpm/v2/profiles/batch', sent)).to.include({
        accepted: 0,
        duplicates: 1,
      });
      const modelId = String(first['modelId']);
      const { data } = await ask('POST', '/api/mpm/v2/model/numberOfPredictions', { modelId });
      const [series] = data as readonly { readonly data: readonly { readonly y: number }[] }[]; // that row's reply
      expect(series?.data.reduce((sum, { y }) => sum + y, 0)).to.equal(10);
      const { features } = await ask('GET', `/api/mpm/v2/quality?modelId=${modelId}`);
      const missing = (
        features as readonly { readonly name: string; readonly points: readonly Json[] }[]
      ).map(({ name, points }) => [name, points.at(-1)?.['missingCount']]); // that row's reply
      expect(missing).to.have.deep.members([
        ['age', 1],
        ['region', 0],
      ]);
    });

    it('go with their workspace', async () => {
      const name = freshName('workspace');
      await ask('POST', '/api/rest/v2/write/workspace/new', { name });
      await sendEvents(name, 'gone', 5);
      const modelId = await modelOf(name);
      const beside = await openBeside(running());
      try {
        const { connection } = beside.storage as SqlStorage; // as every driver of the product opens it
        const own = pluginTables(connection, 'monitoring', tables);
        const left = async () =>
          (await own.list('models', 'key', { model_id: modelId }, { limit: 1 })).length +
          (await own.list('frames', 'key', { model_id: modelId }, { limit: 1 })).length +
          (await own.list('profiles', 'key', { model_id: modelId }, { limit: 1 })).length;
        expect(await left()).to.equal(3);

        await ask('POST', '/api/rest/v2/write/workspace/delete', { workspaceName: name });

        let n = await left();
        for (let turn = 0; turn < 150 && n > 0; turn++) {
          await wait(100);
          n = await left();
        }
        expect(n).to.equal(0);
      } finally {
        await beside.close();
      }
    });
  });
