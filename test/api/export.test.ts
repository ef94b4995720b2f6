// Exports: every row in the order asked for, in every form, read back by other readers and held against what was logged.
import { expect } from 'chai';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import type { Auth } from '#ports/auth';
import type { Experiment } from '#ports/model/experiments';
import type { Project } from '#ports/model/projects';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import { addExperiment, addProject } from '#test/contract/storage/builders';
import { openBeside, startServer, type StartedServer } from '#test/clients/server';
import { pendingUnlessAll } from '#test/pending';
import { freshName } from './fresh.js';

const many = 2300;

describe('exports', () => {
  let server: StartedServer;
  let storage: SqlStorage;
  let auth: Auth;
  let close: () => Promise<void>;
  let owner: Awaited<ReturnType<Auth['addUser']>>;
  let project: Project;
  let runs: readonly Experiment[];

  const noteOf = (at: number) =>
    at % 7 === 0 ? `=1+1, "x"\nä \u{1f600}${'z'.repeat(600)}` : `note ${at}`;

  before(async function () {
    const started = await startServer({ storage: 'embedded', env: { ORRERY_CHECK_REPLIES: '1' } });
    if ('missing' in started) return pendingUnlessAll(this, started.missing);
    server = started;
    ({ storage, auth, close } = await openBeside(server));
    owner = await auth.addUser({ name: freshName('owner'), workspace: freshName('space') });
    const workspaceId = owner.user.defaultWorkspaceId ?? '';
    project = await addProject(storage, { workspaceId });
    const made: Experiment[] = [];
    for (let at = 0; at < many; at++) {
      const run = await addExperiment(storage, { projectId: project.id });
      const value = (name: string, text: string) => ({
        ...{ name, text, context: undefined, step: undefined, timestamp: 1 },
      });
      await storage.stores.values.write({
        experimentId: run.id,
        kind: 'parameter',
        values: [
          value('lr', String((at * 7919) % many)),
          value('note', noteOf(at)),
          ...(at % 3 === 0 ? [value('some', String(at / 8))] : []),
        ],
        receivedAt: 1,
      });
      made.push(run);
    }
    runs = made;
  });
  after(async () => {
    await close?.();
    await server?.stop();
  });

  const fetchFile = (
    path: string,
    asked: Record<string, string | readonly string[]>,
    key = owner.apiKey,
  ) => {
    const query = new URLSearchParams();
    for (const [name, given] of Object.entries(asked))
      for (const one of [given].flat()) query.append(name, one);
    return fetch(`${server.url}/v1/private/ui/${path}?${query.toString()}`, {
      headers: { authorization: key },
    });
  };
  const exported = (asked: Record<string, string | readonly string[]>, key?: string) =>
    fetchFile('runs/export', { project: project.id, ...asked }, key);
  const columns = ['parameter:lr', 'parameter:note', 'parameter:some'];
  /** What a file must hold: the runs by `lr`, the largest first. */
  const expected = () =>
    runs
      .map(({ key }, at) => ({
        key,
        lr: (at * 7919) % many,
        note: noteOf(at),
        some: at % 3 === 0 ? at / 8 : null,
      }))
      .sort((a, b) => b.lr - a.lr);
  /** A reader of RFC 4180. */
  const readCsv = (text: string): string[][] => {
    const rows: string[][] = [[]];
    for (const [, quoted, bare = '', end] of text.matchAll(
      /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g,
    )) {
      rows.at(-1)?.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
      if (end !== ',') rows.push([]);
    }
    return rows.slice(0, -1);
  };

  it('hold every run in the order asked for, as CSV without formulas', async () => {
    const reply = await exported({ format: 'csv', columns, sort: '-parameter:lr' });
    const [head, ...rows] = readCsv(await reply.text());

    expect(reply.headers.get('content-type')).to.equal('text/csv; charset=utf-8');
    expect(head).to.deep.equal(['key', 'lr', 'note', 'some']);
    expect(rows).to.deep.equal(
      expected().map(({ key, lr, note, some }) => [
        key,
        String(lr),
        note.startsWith('=') ? `'${note}` : note,
        some === null ? '' : String(some),
      ]),
    );
  });

  it('hold the same as lines of JSON and as Parquet, of which every part is a row group', async () => {
    const sort = '-parameter:lr';
    const lines = await (await exported({ format: 'jsonl', columns, sort })).text();
    const file = await (await exported({ format: 'parquet', columns, sort })).arrayBuffer();

    expect(
      lines
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as unknown),
    ).to.deep.equal(expected());
    expect(await parquetReadObjects({ file })).to.deep.equal(expected());
    expect(parquetMetadata(file).row_groups.map(({ num_rows }) => Number(num_rows))).to.deep.equal([
      1000, 1000, 300,
    ]);
  });

  it('hold what a query means, and a file without rows where it means nothing', async () => {
    const query = (most: number) =>
      JSON.stringify({
        condition: 'AND',
        rules: [{ source: 'params', field: 'lr', operator: 'less', value: most, type: 'double' }],
      });
    const some = { columns, sort: '-parameter:lr' };
    const lines = await (await exported({ ...some, format: 'jsonl', query: query(5) })).text();

    expect(
      lines
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { lr: number }).lr),
    ).to.deep.equal([4, 3, 2, 1, 0]);
    const nothing = { ...some, query: query(-1) };
    expect(await (await exported({ ...nothing, format: 'csv' })).text()).to.equal(
      'key,lr,note,some\r\n',
    );
    expect(await (await exported({ ...nothing, format: 'jsonl' })).text()).to.equal('');
    const file = await (await exported({ ...nothing, format: 'parquet' })).arrayBuffer();
    expect(await parquetReadObjects({ file })).to.deep.equal([]);
    expect(parquetMetadata(file).schema.map(({ name }) => name)).to.deep.equal([
      'root',
      'key',
      'lr',
      'note',
      'some',
    ]);
  });

  it('have every fact of a run where no column is asked for, and heads that differ', async () => {
    const plain = await (await exported({ format: 'csv' })).text();
    expect(plain.slice(0, plain.indexOf('\r\n'))).to.equal(
      'key,name,state,start,end,lastSeen,duration,user,archived,fileName,filePath,optimizationId,codeSHA,installed_packages,tags',
    );
    const heads = await exported({
      format: 'csv',
      columns: ['parameter:key', 'metric.best.minimize:loss', 'metric:loss'],
    });
    expect((await heads.text()).split('\r\n', 1)).to.deep.equal([
      'key,parameter.last:key,metric.min:loss,metric.last:loss',
    ]);
  });

  it('hold every point of the metrics of a run, in the order of arrival', async () => {
    const run = await addExperiment(storage, { projectId: project.id });
    const texts = ['0.1', '1e400', 'nan', '-0', '12345678901234567890'];
    const points = Array.from({ length: 25_000 }, (_, at) => ({
      name: 'loss',
      context: undefined,
      text: texts[at] ?? String(at / 3),
      step: at % 5 === 0 ? undefined : at,
      epoch: at % 2 === 0 ? undefined : 1,
      timestamp: 1000 + at,
    }));
    for (let at = 0; at < points.length; at += 5000)
      await storage.stores.metrics.append({
        experimentId: run.id,
        points: points.slice(at, at + 5000),
        receivedAt: 1,
      });
    const path = `runs/${run.key}/series/export`;
    const file = await (
      await fetchFile(path, { metrics: ['loss', 'none'], format: 'parquet' })
    ).arrayBuffer();
    const held = await parquetReadObjects({ file });
    const csv = readCsv(await (await fetchFile(path, { metrics: 'loss', format: 'csv' })).text());

    expect(held).to.have.length(points.length);
    expect(held.slice(0, 4).map(({ value }) => value as unknown)).to.deep.equal([
      0.1,
      Infinity,
      null,
      -0,
    ]);
    expect(
      held.map(({ logged, step, epoch, timestamp }) => [logged, step, epoch, timestamp]),
    ).to.deep.equal(
      points.map(({ text, step, epoch, timestamp }) => [
        text,
        step ?? null,
        epoch ?? null,
        timestamp,
      ]),
    );
    expect(csv.slice(1).map((row) => [row[0], row[2], row[6]])).to.deep.equal(
      points.map(({ text, step }) => [
        'loss',
        step === undefined ? '' : String(step),
        /^[-=+@]/.test(text) ? `'${text}` : text,
      ]),
    );
  });

  it('reach no further than their reader', async () => {
    const stranger = await auth.addUser({ name: freshName('stranger') });
    const scope = { readOnly: true, workspaceId: project.workspaceId };
    const other = await addProject(storage, { workspaceId: project.workspaceId });
    const narrow = await auth.issueKey(owner.user.id, { scope: { ...scope, projectId: other.id } });
    const status = async (key: string) => [
      (await exported({ format: 'csv' }, key)).status,
      (
        await fetchFile(
          `runs/${runs[0]?.key ?? ''}/series/export`,
          { metrics: 'a', format: 'csv' },
          key,
        )
      ).status,
    ];

    for (const key of [stranger.apiKey, narrow.apiKey])
      for (const one of await status(key)) expect(one).to.be.oneOf([400, 403, 404]);
    await storage.stores.projects.update(project.id, { public: true, updatedAt: 1 });
    expect(await status(stranger.apiKey)).to.deep.equal([200, 200]);
    await storage.stores.projects.update(project.id, { public: false, updatedAt: 1 });
    await storage.stores.experiments.markDeleted(runs[0]?.id ?? '', 1);
    expect(await (await exported({ format: 'csv' })).text()).not.to.include(runs[0]?.key);
  });

  it('are refused in one sentence before the file begins', async () => {
    const cases: readonly (readonly [Record<string, string | readonly string[]>, string])[] = [
      [{ columns: 'loss' }, '"loss" is no column'],
      [{ columns: 'metric.mean:loss' }, '"metric.mean:loss" is no column'],
      [{ columns: 'metric.best:loss' }, 'the best value of loss needs a direction'],
      [{ columns: ['metric:a', 'metric:a'] }, 'column "metric.last:a" is there twice'],
      [
        { columns: Array.from({ length: 201 }, (_, at) => `metric:${at}`) },
        'columns must be at most 200',
      ],
      [{ sort: ['metric:a', 'metric:b', 'metric:c', 'metric:d'] }, 'sort must be at most 3'],
      [{ query: '{' }, 'query must be JSON'],
      [{ query: '5' }, 'rulesTree must be an object'],
      [{ format: 'xml' }, 'format'],
    ];
    for (const [asked, message] of cases) {
      const reply = await exported({ format: 'csv', ...asked });
      const { message: said } = (await reply.json()) as { readonly message: string };
      expect([reply.status, said.includes(message)], said).to.deep.equal([400, true]);
    }
    const path = `runs/${runs[1]?.key ?? ''}/series/export`;
    const metrics = Array.from({ length: 51 }, (_, at) => `m${at}`);
    expect((await fetchFile(path, { metrics, format: 'csv' })).status).to.equal(400);
  });
});
