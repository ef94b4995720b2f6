// A whole run as the Java client makes it, and what it reads afterwards.
import { expect } from 'chai';
import { isRefused, isSaved, onEveryStorage, rest, rowOf, write } from './stage.js';

const at = 1_795_212_302_573;

onEveryStorage(
  'a run of the Java client',
  (stage) => {
    const post = (path: string, body: object) =>
      stage.java.send('POST', `${write}/experiment/${path}`, body);
    const metadataOf = async (key: string) =>
      (await stage.java.get(`${rest}/experiment/metadata?experimentKey=${key}`)).json;

    it('begins with its key in its own header, in the default workspace and project, and is alive after the first beat', async () => {
      const created = await stage.java.send('POST', `/${write}/experiment/create`, {
        disableHeartBeat: false,
      });
      isSaved(created);
      const key = String(created.json['experimentKey']);
      expect([created.json['workspaceName'], String(created.json['link'])]).to.deep.equal([
        stage.server.workspace,
        `${stage.server.url}/${stage.server.workspace}/${encodeURIComponent(String(created.json['projectName']))}/${key}`,
      ]);

      isSaved(
        await post('system-details', {
          experimentKey: key,
          user: 'ann',
          os: 'Linux',
          osRelease: '6.1',
          machine: 'amd64',
          logAdditionalSystemInfoList: [
            { key: 'java.version', value: '17' },
            { key: 'java.home', value: '/opt' },
          ],
        }),
      );
      const beat = await stage.java.get(`${write}/experiment/set-status?experimentKey=${key}`);
      isSaved(beat);
      expect([
        beat.json['isAliveBeatDurationMillis'],
        beat.json['gpuMonitorIntervalMillis'],
        beat.json['cpuMonitorIntervalMillis'],
      ]).to.deep.equal([10_000, 60_000, 68_000]);

      const metadata = await metadataOf(key);
      expect([
        metadata['running'],
        metadata['hasCrashed'],
        metadata['archived'],
        metadata['experimentName'],
      ]).to.deep.equal([true, false, false, created.json['name']]);
      expect(
        [metadata['startTimeMillis'], metadata['endTimeMillis'], metadata['durationMillis']].every(
          Number.isInteger,
        ),
      ).to.equal(true);
      expect((await stage.get('system-details', key))['logAdditionalSystemInfoList']).to.deep.equal(
        [
          { key: 'java.version', value: '17' },
          { key: 'java.home', value: '/opt' },
        ],
      );
    });

    it('is refused with its code for a wrong key, and for an unknown workspace', async () => {
      const stranger = await fetch(`${stage.server.url}${write}/experiment/create`, {
        method: 'POST',
        headers: { 'Comet-Sdk-Api': 'x'.repeat(25), 'Content-Type': 'application/json' },
        body: '{}',
      });
      expect([
        stranger.status,
        ((await stranger.json()) as Record<string, unknown>)['sdk_error_code'],
      ]).to.deep.equal([400, 90212]); // every JSON reply is an object
      isRefused(
        await stage.java.send('POST', `${write}/experiment/create`, {
          workspaceName: 'no such one',
          projectName: 'p',
        }),
        400,
        90219,
      );
    });

    it('logs values as texts, which come back to the letter, with context, step and epoch', async () => {
      const key = await stage.make();
      for (const [metricValue, step] of [
        ['122.0', 1],
        ['1.0E-7', 2],
        ['123.0', 3],
        ['NaN', 4],
      ] as const)
        isSaved(
          await post('metric', {
            experimentKey: key,
            metricName: 'loss',
            metricValue,
            step,
            epoch: 0,
            timestamp: at + step,
            context: 'train',
          }),
        );
      for (const metricValue of ['Infinity', 'true'])
        isSaved(
          await post('metric', {
            experimentKey: key,
            metricName: 'odd',
            metricValue,
            timestamp: at,
            context: '',
          }),
        );
      isSaved(
        await post('parameter', {
          experimentKey: key,
          parameterName: 'rate',
          parameterValue: '1.0E-7',
          step: 2,
          timestamp: at,
          context: 'train',
        }),
      );
      isSaved(
        await post('log-other', { experimentKey: key, key: 'flag', value: 'true', timestamp: at }),
      );

      const metrics = await stage.get('metrics/summary', key);
      const loss = rowOf(metrics, 'train_loss');
      expect([
        loss?.['valueMin'],
        loss?.['valueMax'],
        loss?.['valueCurrent'],
        loss?.['stepMax'],
        loss?.['stepCurrent'],
        loss?.['runContextCurrent'],
        loss?.['timestampMin'],
      ]).to.deep.equal(['1.0E-7', '123.0', 'NaN', 3, 4, 'train', at + 2]);
      expect(rowOf(metrics, 'odd')?.['valueCurrent']).to.equal('true');
      const points = (await stage.get('metrics/get-metric', key, '&metricName=train_loss'))[
        'metrics'
      ] as readonly Record<string, unknown>[]; // a list of points
      expect(
        points.map((point) => [
          point['metricName'],
          point['metricValue'],
          point['step'],
          point['epoch'],
          point['timestamp'],
          point['runContext'],
        ]),
      ).to.deep.equal(
        [
          ['122.0', 1],
          ['1.0E-7', 2],
          ['123.0', 3],
          ['NaN', 4],
        ].map(([value, step]) => ['train_loss', value, step, 0, at + Number(step), 'train']),
      );
      expect(rowOf(await stage.get('parameters', key), 'train_rate')?.['valueCurrent']).to.equal(
        '1.0E-7',
      );
      expect(rowOf(await stage.get('log-other', key), 'flag')?.['valueCurrent']).to.equal('true');
    });

    it('prints lines side by side, out of order, which are read in order', async () => {
      const key = await stage.make();
      const lines = Array.from({ length: 40 }, (_, offset) => ({
        offset,
        output: `line ${offset}`,
        stderr: offset % 5 === 0,
        localTimestamp: at,
      }));

      const replies = await Promise.all(
        [...lines]
          .reverse()
          .map((line) =>
            post('output', { experimentKey: key, runContext: 'train', outputLines: [line] }),
          ),
      );

      for (const reply of replies) isSaved(reply);
      expect((await stage.get('output', key))['output']).to.equal(
        lines.map(({ output }) => `${output}\n`).join(''),
      );
    });

    it('uploads a curve and the files of a folder, all at once', async () => {
      const key = await stage.make();
      const upload = (query: string, content: string, name: string) =>
        stage.java.sendFile(
          `${write}/experiment/upload-asset?experimentKey=${key}&${query}`,
          Buffer.from(content),
          name,
        );
      const curve = JSON.stringify({ name: 'roc', x: [0, 1], y: [0.5, 1] });

      const replies = await Promise.all([
        upload('type=curve&fileName=roc&extension=&step=3&overwrite=false', curve, 'roc'),
        ...Array.from({ length: 10 }, (_, i) =>
          upload(
            `type=asset&fileName=${encodeURIComponent(`folder/sub dir/f${i}.txt`)}&extension=txt&epoch=1&context=train&groupingName=folder`,
            `content ${i}`,
            `f${i}.txt`,
          ),
        ),
      ]);

      for (const reply of replies) {
        isSaved(reply);
        expect(reply.json['assetId']).to.be.a('string');
      }
      const assets = (await stage.get('asset/list', key))['assets'] as readonly Record<
        string,
        unknown
      >[]; // a list of assets
      expect(assets.map((asset) => asset['fileName']).sort()).to.deep.equal(
        [...Array.from({ length: 10 }, (_, i) => `folder/sub dir/f${i}.txt`), 'roc'].sort(),
      );
      const found = assets.find((asset) => asset['type'] === 'curve');
      expect([
        found?.['step'],
        found?.['fileSize'],
        found?.['remote'],
        found?.['metadata'],
      ]).to.deep.equal([3, curve.length, false, null]);
      const read = await stage.java.get(
        `${rest}/experiment/asset/get-asset?experimentKey=${key}&assetId=${String(found?.['assetId'])}`,
      );
      expect(read.bytes.toString()).to.equal(curve);
      const inFolder = assets.find((asset) => String(asset['fileName']).endsWith('f3.txt'));
      expect([inFolder?.['runContext'], inFolder?.['step']]).to.deep.equal(['train', null]);
    });

    it('sets its start and its end apart, and both stay exact', async () => {
      const key = await stage.make();
      const times = async () => {
        const metadata = await metadataOf(key);
        return [metadata['startTimeMillis'], metadata['endTimeMillis'], metadata['durationMillis']];
      };

      isSaved(await post('set-start-end-time', { experimentKey: key, startTimeMillis: at }));
      expect(await times()).to.deep.equal([at, at + 1000, 1000]);
      isSaved(await post('set-start-end-time', { experimentKey: key, endTimeMillis: at }));
      expect(await times()).to.deep.equal([at, at, 0]);
      isSaved(
        await post('set-start-end-time', {
          experimentKey: key,
          startTimeMillis: null,
          endTimeMillis: at + 5000,
        }),
      );
      expect(await times()).to.deep.equal([at, at + 5000, 5000]);
    });

    it('begins a second before an end that is set first', async () => {
      const key = await stage.make();
      isSaved(
        await post('set-start-end-time', {
          experimentKey: key,
          startTimeMillis: null,
          endTimeMillis: at,
        }),
      );

      const metadata = await metadataOf(key);
      expect([metadata['startTimeMillis'], metadata['endTimeMillis']]).to.deep.equal([
        at - 1000,
        at,
      ]);
    });

    it('is not found by a 400 with a code in every read and write', async () => {
      const reads = [
        'metadata',
        'tags',
        'html',
        'graph',
        'output',
        'parameters',
        'log-other',
        'metrics/summary',
        'asset/list',
        'git/metadata',
        'system-details',
      ];
      for (const what of reads)
        isRefused(
          await stage.java.get(`${rest}/experiment/${what}?experimentKey=${'0'.repeat(32)}`),
          400,
          90211,
        );
      isRefused(
        await stage.java.get(
          `${rest}/experiment/metadata?experimentKey=${encodeURIComponent('no key at all')}`,
        ),
        400,
        90211,
      );
      isRefused(await post('metric', { metricName: 'm', metricValue: '1' }), 400, 90998);
      isRefused(
        await post('tags', { experimentKey: '0'.repeat(32), addedTags: ['t'] }),
        400,
        90211,
      );
    });

    it('reads its workspaces, projects and experiments', async () => {
      const key = await stage.make({ projectName: 'java reads', experimentName: 'first' });
      const projects = (
        await stage.java.get(`${rest}/projects?workspaceName=${stage.server.workspace}`)
      ).json['projects'] as readonly Record<string, unknown>[]; // a list of projects
      const project = projects.find((one) => one['projectName'] === 'java reads');
      expect([
        project?.['workspaceName'],
        project?.['numberOfExperiments'],
        project?.['public'],
        project?.['isPublic'],
      ]).to.deep.equal([stage.server.workspace, 1, false, false]);

      expect((await stage.java.get(`${rest}/workspaces`)).json['workspaceNames']).to.deep.equal([
        stage.server.workspace,
      ]);
      const experiments = (
        await stage.java.get(
          `${rest}/experiments?projectId=${String(project?.['projectId'])}&archived=false`,
        )
      ).json['experiments'] as readonly Record<string, unknown>[]; // a list of experiments
      expect(
        experiments.map((one) => [one['experimentKey'], one['experimentName'], one['projectName']]),
      ).to.deep.equal([[key, 'first', 'java reads']]);
    });
  },
  { alone: true },
);
