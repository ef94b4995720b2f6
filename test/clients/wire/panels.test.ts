// Panels, dashboards, views, stores of panels and remote calls, as tools and clients send them.
import { expect } from 'chai';
import yazl from 'yazl';
import { isRefused, isSaved, onEveryStorage, rest, write } from './stage.js';

type Row = Readonly<Record<string, unknown>>;
const rowsOf = (json: Row, member: string) => json[member] as readonly Row[]; // the caller names a list of objects

const panelZip = async (templateName: string, pyCode: string): Promise<Buffer> => {
  const archive = new yazl.ZipFile();
  archive.addBuffer(
    Buffer.from(
      JSON.stringify({
        templateName,
        code: {
          code: '',
          css: '',
          description: '',
          html: '',
          defaultConfig: '',
          internalResources: [],
          userResources: [],
          pyCode,
          type: 'py',
          pyConfig: '{}',
        },
        createdAt: 1,
        thumbnailName: '',
        editable: true,
      }),
    ),
    'tempVisualizationTemplate.json',
  );
  archive.end();
  const pieces: Buffer[] = [];
  for await (const piece of archive.outputStream) pieces.push(piece as Buffer); // no encoding is set on it
  return Buffer.concat(pieces);
};

onEveryStorage('panels and calls', (stage) => {
  const post = (path: string, body: object) => stage.python.send('POST', path, body);
  const projectOf = async (key: string) => String((await stage.get('metadata', key))['projectId']);

  it('keeps a panel, lists it, and gives back its code and its bytes', async () => {
    const zip = await panelZip('chart', 'print("é")');
    const made = await stage.python.sendFile(
      `${write}/template/upload?teamName=${stage.server.workspace}`,
      zip,
      'panel.zip',
    );
    isSaved(made);
    const templateId = String(made.json['templateId']);

    const [row] = rowsOf(
      (await stage.python.get(`${rest}/code-panel/get-all?workspace=${stage.server.workspace}`))
        .json,
      'codePanelTemplateRows',
    );
    expect([
      row?.['templateId'],
      row?.['templateName'],
      row?.['scopeType'],
      typeof row?.['teamId'],
      Number.isInteger(row?.['revisionId']),
    ]).to.deep.equal([templateId, 'chart', 'PRIVATE', 'string', true]);
    const code = (await stage.python.get(`${rest}/code-panel/download?templateId=${templateId}`))
      .json['code'] as Row; // the code is an object
    expect([code['type'], code['pyCode']]).to.deep.equal(['py', 'print("é")']);
    expect(
      Buffer.compare(
        (await stage.python.get(`${rest}/template/${templateId}/download`)).bytes,
        zip,
      ),
    ).to.equal(0);
    const again = await stage.python.sendFile(
      `${write}/template/upload?teamName=${stage.server.workspace}&templateId=${templateId}`,
      await panelZip('chart 2', 'pass'),
      'panel.zip',
    );
    expect(again.json['templateId']).to.equal(templateId);
    expect(
      rowsOf(
        (await stage.python.get(`${rest}/code-panel/get-all?workspace=${stage.server.workspace}`))
          .json,
        'codePanelTemplateRows',
      ).map((one) => one['templateName']),
    ).to.deep.equal(['chart 2']);
    expect(
      (
        await stage.python.sendFile(
          `${write}/template/upload?teamName=${stage.server.workspace}`,
          Buffer.from('no zip'),
          'panel.zip',
        )
      ).status,
    ).to.equal(400);
    // The size that the directory of the archive gives for its one entry, 24 bytes behind the mark of that record.
    for (const size of [1, 5, 1_000_000, 0xffff_fff0]) {
      const lying = Buffer.from(zip);
      lying.writeUInt32LE(size, lying.lastIndexOf(Buffer.from('PK\x01\x02')) + 24);
      expect(
        (
          await stage.python.sendFile(
            `${write}/template/upload?teamName=${stage.server.workspace}`,
            lying,
            'panel.zip',
          )
        ).status,
        String(size),
      ).to.equal(400);
    }
  });

  it('creates a dashboard, changes it and copies it, also for a key in the header of tools', async () => {
    const projectId = await projectOf(await stage.make());
    const made = await post(`${write}/dashboard-template/create`, {
      project_id: projectId,
      template_name: 'first',
      codePanelTemplateIds: ['a', 'b'],
      more: 1,
    });
    expect([
      made.status,
      made.json['template_name'],
      made.json['codePanelTemplateIds'],
    ]).to.deep.equal([200, 'first', ['a', 'b']]);
    const asTool = (body: object) =>
      fetch(`${stage.server.url}${rest}/dashboard-templates/project/upsert`, {
        method: 'POST',
        headers: { 'X-API-KEY': stage.server.apiKey, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });

    const changed = (await (
      await asTool({
        project_id: projectId,
        template_id: made.json['template_id'],
        template_name: 'second',
      })
    ).json()) as Row; // a dashboard is an object
    expect([changed['template_id'], changed['template_name']]).to.deep.equal([
      made.json['template_id'],
      'second',
    ]);
    const copy = await post(`${write}/dashboard-template/create`, {
      project_id: projectId,
      template_name: 'copy',
      template_id: made.json['template_id'],
    });
    expect([
      copy.json['template_id'] === made.json['template_id'],
      copy.json['codePanelTemplateIds'],
    ]).to.deep.equal([false, ['a', 'b']]);
  });

  it('deletes a panel, a dashboard and a view, each once', async () => {
    const key = await stage.make();
    const projectId = await projectOf(key);
    const panel = await stage.python.sendFile(
      `${write}/template/upload?teamName=${stage.server.workspace}`,
      await panelZip('gone', 'pass'),
      'panel.zip',
    );
    const { templateId } = panel.json;
    const { template_id } = (
      await post(`${write}/dashboard-template/create`, {
        project_id: projectId,
        template_name: 'gone',
      })
    ).json;
    const view = (await post(`${write}/views/upsert`, { projectId, templateName: 'gone view' }))
      .json['templateId'];
    const own = (
      await post(`${write}/chart-templates/upsert`, {
        projectId,
        experimentKey: key,
        templateName: 'gone too',
      })
    ).json['templateId'];
    const kept = (await post(`${write}/views/upsert`, { projectId, templateName: 'kept' })).json[
      'templateId'
    ];

    for (const [path, body] of [
      ['template/delete', { templateId }],
      ['dashboard-template/delete', { project_id: projectId, template_id }],
      ['views/delete', { projectId, templateId: view }],
      ['views/delete', { projectId, templateId: own }],
    ] as const) {
      isSaved(await post(`${write}/${path}`, body), 'Deleted');
      expect((await post(`${write}/${path}`, body)).status, path).to.equal(400);
    }

    const left = rowsOf(
      (await stage.python.get(`${rest}/views/get-all?projectId=${projectId}&experimentKey=${key}`))
        .json,
      'views',
    ).map((one) => one['templateId']);
    expect([
      left.includes(kept),
      left.filter((id) => [template_id, view, own].includes(id)),
    ]).to.deep.equal([true, []]);
    expect(
      (await stage.python.get(`${rest}/template/${String(templateId)}/download`)).status,
    ).to.equal(400);
    expect(
      rowsOf(
        (await stage.python.get(`${rest}/code-panel/get-all?workspace=${stage.server.workspace}`))
          .json,
        'codePanelTemplateRows',
      ).map((one) => one['templateId']),
    ).to.not.include(templateId);
  });

  it('keeps views of a project and of one experiment apart, with their states as they were sent', async () => {
    const key = await stage.make();
    const projectId = await projectOf(key);
    const state = '{ "columns" :[ "a" ] }';
    const made = await post(`${write}/views/upsert`, {
      projectId,
      templateName: 'mine',
      experimentQueryState: state,
      v2: { deep: [1, null] },
    });
    const single = await post(`${write}/chart-templates/upsert`, {
      projectId,
      experimentKey: key,
      templateName: 'single',
      dashboardChartState: state,
    });
    const list = async (path: string) =>
      rowsOf((await stage.python.get(`${rest}/views/${path}`)).json, 'views');

    expect([
      made.status,
      made.json['templateName'],
      made.json['experimentQueryState'],
      made.json['v2'],
      made.json['experimentKey'],
      made.json['v3'],
    ]).to.deep.equal([200, 'mine', state, { deep: [1, null] }, null, null]);
    expect([single.json['experimentKey'], single.json['dashboardChartState']]).to.deep.equal([
      key,
      state,
    ]);
    expect(
      (await list(`get-all?projectId=${projectId}&includeWorkspaceViews=true`)).filter(
        (view) => view['experimentKey'] !== null,
      ),
    ).to.deep.equal([]);
    expect(
      (await list(`get-all?projectId=${projectId}`)).map((view) => view['templateId']),
    ).to.include(made.json['templateId']);
    expect(
      (await list(`chart-templates?projectId=${projectId}&experimentKey=${key}`)).map(
        (view) => view['templateId'],
      ),
    ).to.deep.equal([single.json['templateId']]);
    const changed = await post(`${write}/views/upsert`, {
      projectId,
      templateId: made.json['templateId'],
      templateName: 'yours',
      experimentQueryState: '{}',
    });
    expect([
      changed.json['templateId'],
      changed.json['templateName'],
      changed.json['experimentQueryState'],
    ]).to.deep.equal([made.json['templateId'], 'yours', '{}']);
  });

  it('keeps what an instance of a panel stores', async () => {
    const projectId = await projectOf(await stage.make());
    const read = async (instanceId: string) =>
      (
        await stage.python.get(
          `${rest}/project/store?projectId=${projectId}&instanceId=${instanceId}`,
        )
      ).json;

    isSaved(
      await post(`${write}/project/store`, {
        projectId,
        instanceId: 'one',
        store: { é: [1, { a: null }] },
      }),
      'Stored',
    );

    expect([await read('one'), await read('two')]).to.deep.equal([
      { store: { é: [1, { a: null }] } },
      { store: {} },
    ]);
  });

  it('hands a call to the run once, and its result to whoever asked', async () => {
    const key = await stage.make();
    const { apiKey } = stage.server;
    const pending = async () =>
      rowsOf(
        (await stage.python.get(`/clientlib/rpc/get-pending-rpcs?experimentKey=${key}`)).json,
        'remoteProcedureCalls',
      );
    isRefused(
      await post(`${write}/experiment/rpc`, { experimentKey: key, functionName: 'unknown' }),
      400,
      7777777,
    );
    expect(
      (
        await post('/clientlib/rpc/register-rpc', {
          apiKey,
          experimentKey: key,
          functionName: 'f',
          functionDocumentation: 'does',
          argumentNames: ['a'],
        })
      ).status,
    ).to.equal(200);
    const called = await post(`${write}/experiment/rpc`, {
      experimentKey: key,
      functionName: 'f',
      arguments: [{ name: 'a', value: { deep: [1] } }],
    });
    isSaved(called);

    const [call, ...others] = await pending();
    expect([
      Object.keys(call ?? {}).sort(),
      call?.['callId'],
      call?.['arguments'],
      call?.['cometDefined'],
      others,
    ]).to.deep.equal([
      ['arguments', 'callId', 'cometDefined', 'createdAt', 'functionName', 'userName'],
      called.json['callId'],
      [{ name: 'a', value: { deep: [1] } }],
      false,
      [],
    ]);
    expect(await pending()).to.deep.equal([]);
    expect(
      (
        await post('/clientlib/rpc/save-rpc-result', {
          apiKey,
          experimentKey: key,
          callId: call?.['callId'],
          result: '42',
          startTimeMs: 1,
          endTimeMs: 2,
        })
      ).status,
    ).to.equal(200);
    const told = (await stage.python.get(`${rest}/experiment/rpc?experimentKey=${key}`)).json;
    expect(rowsOf(told, 'functions')).to.deep.equal([
      { functionName: 'f', functionDocumentation: 'does', argumentNames: ['a'] },
    ]);
    expect(
      rowsOf(told, 'calls').map((one) => [
        one['callId'],
        one['status'],
        one['result'],
        one['errorMessage'],
        one['startTimeMs'],
      ]),
    ).to.deep.equal([[called.json['callId'], 'done', '42', null, 1]]);
  });

  it('queues the stop of a run that is alive', async () => {
    const key = await stage.make();
    await stage.python.get(`${write}/experiment/set-status?experimentKey=${key}`);
    isSaved(
      await stage.python.get(`${write}/experiment/stop?experimentKey=${key}`),
      'Stop Requested',
    );

    const calls = rowsOf(
      (await stage.python.get(`/clientlib/rpc/get-pending-rpcs?experimentKey=${key}`)).json,
      'remoteProcedureCalls',
    );
    expect(calls.map((call) => [call['functionName'], call['cometDefined']])).to.deep.equal([
      ['stop', true],
    ]);
  });
});
