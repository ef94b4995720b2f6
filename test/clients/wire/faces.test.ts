// Pages at whose address programs read something else: the same for a key as for a browser, and no more.
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { makeSecret } from '#test/servers/launch';
import { pendingUnlessAll } from '#test/pending';
import { readReport } from '#plugins/web-ui/pure/report';
import { logDemo, type DemoRun } from '../browser/demo.js';
import { neverStored } from '../secrets.js';
import { borrowServer, openBeside, type StartedServer } from '../server.js';

const write = '/api/rest/v2/write';
const wire = '/opik/api/v1/private';
const markup = '<img src=x onerror=alert(1)>';
const escape = '\u001b[31m';

describe('one address in several forms', function () {
  this.timeout(60_000);
  let server: StartedServer;
  /** Somebody else on the same server. */
  const stranger = neverStored(makeSecret());
  let runs: readonly DemoRun[];
  let root = '';
  const trace = '01a21264-4b41-7064-b144-a7f22d454748';
  const ask = async (path: string, body: unknown, method = 'POST') => {
    const reply = await fetch(server.url + path, {
      method,
      headers: { authorization: server.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await reply.text();
    expect(reply.ok, text).to.equal(true);
    return (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>; // an object, as every reply of the API
  };
  before('start a server and log runs, traces and a model', async function () {
    const started = await borrowServer({
      storage: 'embedded',
      env: { ORRERY_CHECK_REPLIES: '1' },
    });
    if ('missing' in started) return pendingUnlessAll(this, started.missing);
    server = started;
    const beside = await openBeside(server);
    const name = `other-${randomBytes(5).toString('hex')}`;
    await beside.auth.addUser({ name, admin: false, workspace: name, apiKey: stranger });
    await beside.close();
    root = `/w/${server.workspace}/p/vision`;
    runs = await logDemo(server, { project: 'vision', count: 12, steps: 40, now: Date.now() });
    await ask(`${write}/experiment/log-other`, {
      experimentKey: runs[0]?.key,
      key: 'Name',
      value: `${markup}${escape}`,
    });
    const start_time = new Date().toISOString();
    await ask(`${wire}/traces`, {
      ...{ id: trace, name: 'agent', project_name: 'vision', start_time, end_time: start_time },
      ...{ input: { question: '```\n# no heading' }, output: { answer: 'yes' } },
    });
    await ask(`${wire}/spans`, {
      ...{ id: '01a21264-4c8f-7741-8005-9abd70cf00bf', trace_id: trace, name: 'plan' },
      ...{ project_name: 'vision', type: 'llm', start_time, end_time: start_time },
    });
    const form = new FormData();
    form.set('file', new Blob(['w']), 'w.bin');
    const search = new URLSearchParams({
      ...{ experimentKey: runs[1]?.key ?? '', fileName: 'w.bin' },
      ...{ type: 'model-element', groupingName: 'net' },
    });
    await fetch(`${server.url}${write}/experiment/upload-asset?${search.toString()}`, {
      method: 'POST',
      headers: { authorization: server.apiKey },
      body: form,
    });
    for (const registryModelName of ['bot', 'bot.json'])
      await ask(`${write}/registry-model/item/create`, {
        ...{ experimentKey: runs[1]?.key, experimentModelName: 'net', registryModelName },
        version: '1.0.0',
      });
  });
  after(async () => {
    await server?.stop();
  });

  const get = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const reply = await fetch(server.url + path, {
      redirect: 'manual',
      headers: { authorization: server.apiKey, ...headers },
    });
    const bytes = Buffer.from(await reply.arrayBuffer());
    return {
      status: reply.status,
      type: reply.headers.get('content-type') ?? '',
      vary: reply.headers.get('vary') ?? '',
      bytes,
      text: bytes.toString(),
    };
  };
  const json = async (path: string) => {
    const reply = await get(path);
    expect(reply.status, reply.text).to.equal(200);
    return JSON.parse(reply.text) as Record<string, unknown>; // every JSON form is an object
  };

  it('chooses the form by what is taken, by the ending and by a parameter', async () => {
    const types = async (path: string, accept: string, agent = 'program') =>
      (await get(path, { accept, 'user-agent': agent })).type.split(';')[0];
    const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/png,*/*;q=0.8';
    expect(await types(`${root}/runs`, browser)).to.equal('text/html');
    expect(await types(`${root}/runs`, '*/*')).to.equal('text/html');
    expect(await types(`${root}/runs`, '*/*', 'curl/8.5.0')).to.equal('text/plain');
    expect(await types(`${root}/runs`, 'application/json')).to.equal('application/json');
    expect(await types(`${root}/runs`, 'text/csv;q=0.5, image/svg+xml')).to.equal('image/svg+xml');
    expect(await types(`${root}/runs.md`, browser)).to.equal('text/markdown');
    expect(await types(`${root}/runs.csv?format=json`, browser)).to.equal('application/json');
    expect(await types(`${root}/runs?format=html`, 'text/csv')).to.equal('text/html');
    expect((await get(`${root}/runs`)).vary).to.match(/Accept\b/);
    expect((await get(`${root}/runs.exe`)).status).to.equal(400);
    expect((await get(`${root}/runs?format=exe`)).status).to.equal(400);
  });

  it('gives the rows that the page shows, in its order and by its query', async () => {
    const query = 'q=vit&sort=-metric%3Aval%252Facc&cols=metric:val%252Facc:max,parameter:lr';
    const { total, runs: rows } = (await json(`${root}/runs.json?${query}`)) as {
      total: number;
      runs: readonly { name: string; values: Record<string, number> }[];
    }; // as the form says
    expect(total).to.equal(3);
    const values = rows.map((row) => row.values['metric:val%2Facc:max'] ?? 0);
    expect(values).to.have.length(3);
    expect(Math.min(...values)).to.be.above(0);
    const csv = (await get(`${root}/runs.csv?${query}`)).text.trim().split('\n');
    expect(csv[0]).to.equal('name,val/acc (max),lr,key');
    expect(csv.slice(1).map((line) => Number(line.split(',')[1]))).to.deep.equal(values);
    const text = (await get(`${root}/runs.txt?${query}`)).text;
    expect(text).to.match(/^Runs of vision\n3 of 3 runs\./);
    expect(text).to.match(/vit-003 +[▁-█]{8}/);
    const groups = (await get(`${root}/runs.csv?group=parameter:arch`)).text;
    expect(groups).to.match(/^arch,runs,train\/loss mean,train\/loss deviation,train\/loss n/);
    expect(groups).to.match(/\nvit,4,/);
  });

  it('draws charts, and gives the values that are drawn', async () => {
    const { charts } = (await json(`${root}/runs.json?of=charts&charts=val/loss`)) as {
      charts: readonly { metric: string; x: number[]; lines: readonly { y: number[] }[] }[];
    }; // as the form says
    expect(charts.map(({ metric }) => metric)).to.deep.equal(['val/loss']);
    expect(charts[0]?.lines).to.have.length(10);
    expect(charts[0]?.x).to.have.length(40);
    const svg = await get(`${root}/runs.svg?charts=val/loss`);
    expect(svg.text.match(/<g data-key=/g)).to.have.length(10);
    const png = await get(`${root}/runs.png?charts=val/loss&dark=1`);
    expect(png.type).to.equal('image/png');
    expect(png.bytes.subarray(1, 4).toString()).to.equal('PNG');
    const csv = (await get(`${root}/runs.csv?of=charts&charts=val/loss`)).text.split('\n');
    expect(csv[0]).to.equal('key,name,metric,step,value,low,high,raw');
    expect(csv).to.have.length(1 + 10 * 40 + 1);
  });

  it('looks at the newest runs alone, tells the chosen spread, and strokes lines as the page does', async () => {
    const lines = async (search: string) =>
      (await get(`${root}/runs.csv?${search}`)).text.trim().split('\n');
    expect(await lines('newest=10')).to.have.length(1 + 10);
    expect(await lines('newest=50')).to.have.length(1 + 12);
    const by = 'group=parameter%3Aarch&cols=metric%3Aval%252Facc';
    expect((await lines(by))[0]).to.contain('val/acc mean,val/acc deviation,val/acc n');
    expect((await lines(`${by}&spread=range`))[0]).to.contain(
      'val/acc mean,val/acc min,val/acc max',
    );
    const [head = '', row = ''] = await lines(`${by}&spread=standard+error`);
    const [, plain = ''] = await lines(by);
    expect(head).to.contain('val/acc mean,val/acc standard error,val/acc n');
    const [deviation, error] = [plain, row].map((line) => Number(line.split(',')[3]));
    expect(error).to.be.closeTo((deviation ?? 0) / 2, 1e-9); // of four runs
    const strokes = async (search: string) =>
      new Set(
        (await get(`${root}/runs.svg?of=charts&charts=val/acc${search}`)).text.match(
          /stroke-dasharray="[^"]*"/g,
        ),
      ).size;
    expect(await strokes('')).to.equal(0);
    expect(await strokes('&stroke=parameter%3Aarch')).to.equal(2); // of three values, one is whole
    expect(await strokes('&stroke=each')).to.equal(3);
  });

  it('has the same forms for a run, a comparison, traces and models', async () => {
    const [one, other] = runs.slice(1).map(({ key }) => key);
    const run = await json(`${root}/run/${one}.json`);
    expect((run['parameters'] as Record<string, unknown>)['arch']).to.equal('resnet');
    expect((await get(`${root}/run/${one}.csv`)).text).to.contain('parameters,arch,resnet');
    const both = (await get(`${root}/compare.md?runs=${one},${other}`)).text;
    expect(both).to.match(/\| arch \| resnet \| convnext \|/);
    const traces = await json(`${root}/traces.json`);
    expect(traces['total']).to.equal(1);
    const tree = (await get(`${root}/trace/${trace}.txt`)).text;
    expect(tree).to.match(/^plan +llm/m);
    expect((await get(`${root}/trace/${trace}.svg`)).text).to.contain('>plan</text>');
    expect((await get(`${root}/trace/${trace}.png`)).type).to.equal('image/png');
    expect((await get(`${root}/trace/${trace}.md`)).text).to.contain('````\n{');
    const models = `/w/${server.workspace}`;
    expect((await get(`${models}/models.csv`)).text).to.match(/^bot,1,1\.0\.0/m);
    const model = await json(`${models}/model/bot/1.0.0.json`);
    expect(model['versions']).to.have.length(1);
    // A model may be called as a form is.
    expect((await get(`${models}/model/bot.json`)).type).to.match(/^text\/html/);
    const named = await json(`${models}/model/bot.json?format=json`);
    expect((named['model'] as Record<string, unknown>)['modelName']).to.equal('bot.json');
    expect((await get(`${models}/model/bot.csv`)).text).to.match(/^1\.0\.0,/m);
  });

  it('lets nothing that is stored mark up a form, or move the cursor of a terminal', async () => {
    const all = `${root}/runs`;
    expect((await get(`${all}.txt`)).text)
      .to.contain(markup)
      .and.not.contain('\u001b');
    expect((await get(`${all}.md`)).text)
      .to.contain('&lt;img')
      .and.not.contain('<img');
    const svg = await get(
      `${all}.svg?charts=loss&q=Metadata("experimentKey")%20==%20"${runs[0]?.key}"`,
    );
    expect(svg.text).to.contain('&lt;img').and.not.contain('<img');
    for (const ending of ['json', 'csv', 'svg', 'md', 'txt', 'report']) {
      const reply = await fetch(`${server.url}${all}.${ending}`, {
        headers: { authorization: server.apiKey },
      });
      expect(reply.headers.get('content-security-policy')).to.equal("sandbox; default-src 'none'");
      expect(reply.headers.get('x-content-type-options')).to.equal('nosniff');
    }
  });

  it('makes one file of what a page shows, which says what it holds', async () => {
    const reply = await fetch(`${server.url}${root}/runs.report?charts=val/loss&limit=5`, {
      headers: { authorization: server.apiKey },
    });
    expect(reply.headers.get('content-disposition')).to.match(
      /^attachment; filename="Runs of vision \(first 5 of 12\)\.html"$/,
    );
    const text = await reply.text();
    expect(text).to.not.contain('<img');
    const report = readReport(text);
    if ('fault' in report) throw new Error(report.fault);
    expect(report.tables[0]?.rows).to.have.length(5);
    expect(report.cut).to.deep.equal(['Of the rows, these are the first 5 of 12.']);
    // What is drawn is what the page draws, to the last digit.
    const { charts } = (await json(`${root}/runs.json?of=charts&charts=val/loss&limit=5`)) as {
      charts: readonly { lines: readonly { y: number[] }[] }[];
    }; // as the form says
    expect(report.charts.map(({ drawing }) => drawing.lines.length)).to.deep.equal([5]);
    report.charts[0]?.drawing.lines.forEach(({ y }, at) => {
      expect(y.map((one) => Math.fround(one ?? 0))).to.deep.equal(
        charts[0]?.lines[at]?.y.map(Math.fround),
      );
    });
    const [one, other] = runs.map(({ key }) => key);
    for (const place of [`compare?runs=${one},${other}&`, `run/${one}?`, 'traces?'])
      expect('fault' in readReport((await get(`${root}/${place}format=report`)).text)).to.equal(
        false,
      );
  });

  it('says in the name of a file, and in a picture, how much of how much it has', async () => {
    await ask('/clientlib/batch/logger/experiment/metric', {
      experimentKey: runs[2]?.key,
      values: Array.from({ length: 15 }, (_, at) => ({
        ...{ metricName: `many/${at}`, metricValue: '1', step: 1, timestamp: Date.now() },
      })),
    });
    const nameOf = async (path: string) => {
      const reply = await fetch(server.url + root + path, {
        headers: { authorization: server.apiKey },
      });
      const text = await reply.text();
      return [reply.headers.get('content-disposition'), text] as const;
    };
    expect((await nameOf('/runs.csv?limit=3'))[0]).to.contain('Runs of vision (first 3 of 12).csv');
    expect((await nameOf('/runs.csv'))[0]).to.contain('"Runs of vision.csv"');
    const [name, svg] = await nameOf('/runs.svg?charts=many');
    expect(name).to.contain('Runs of vision (first 12 of 15 charts).svg');
    expect(svg).to.contain('The first 12 of 15 charts.');
    expect((await nameOf('/runs.csv?of=charts&charts=many'))[0]).to.contain(
      '(first 12 of 15 charts).csv',
    );
    expect((await nameOf('/runs.report?charts=many&limit=2'))[0]).to.contain(
      '(first 2 of 12).html',
    );
  });

  it('has the forms at the address of a project that is shared, and nothing where the code is none', async () => {
    const project = (
      await json(`/api/rest/v2/project?workspaceName=${server.workspace}&projectName=vision`)
    )['projectId'];
    const { shareCode } = await json(
      `/api/rest/v2/write/project/add-share-link?projectId=${String(project)}`,
    );
    const shared = async (path: string, code = String(shareCode), accept = 'text/csv') => {
      const reply = await fetch(`${server.url}/s/${code}${path}`, { headers: { accept } });
      return { status: reply.status, text: await reply.text() };
    };
    const csv = await shared(`${root}/runs.csv`);
    expect([csv.status, csv.text.split('\n').length]).to.deep.equal([200, 12 + 2]);
    expect((await shared(`${root}/runs`)).text).to.equal(csv.text);
    const [one, other] = runs.slice(1).map(({ key }) => key);
    const report = readReport((await shared(`${root}/run/${one}.report`)).text);
    if ('fault' in report) throw new Error(report.fault);
    expect(report.address).to.contain(`/s/${String(shareCode)}/w/`);
    expect((await shared(`${root}/compare.txt?runs=${one},${other}`)).status).to.equal(200);
    expect((await shared(`${root}/runs.svg?charts=val/loss`)).text).to.contain('<svg');
    // The page itself is the same for every code; it holds nothing.
    for (const code of [String(shareCode), 'nothing'])
      expect((await shared(`${root}/runs`, code, 'text/html')).text).to.contain('id="app"');
    const wrong = await shared(`${root}/runs.csv`, 'nothing');
    expect(wrong.status).to.equal(404);
    expect(wrong.text).to.contain('there is no project that is shared by this code');
    // Nothing else is read by the code, whoever else signed in beside it.
    const beyond = await fetch(
      `${server.url}/s/${String(shareCode)}/w/${server.workspace}/p/other/runs.csv`,
      {
        headers: { authorization: server.apiKey },
      },
    );
    expect(beyond.status).to.equal(404);
  });

  it('tells who may not, who asks for nothing that is there, and what is asked wrongly', async () => {
    const other = stranger;
    for (const place of ['runs', `run/${runs[1]?.key}`, 'traces', `trace/${trace}`]) {
      const theirs = await get(`${root}/${place}`, {
        accept: 'application/json',
        authorization: other,
      });
      const nowhere = await get(`/w/nobody-here/p/none/${place}`, {
        ...{ accept: 'application/json', authorization: other },
      });
      expect([place, theirs.status]).to.deep.equal([place, 404]);
      expect([place, nowhere.status]).to.deep.equal([place, 404]);
      expect(theirs.text).to.not.contain('vit');
    }
    const unknown = await get(`${root}/runs`, { accept: 'text/csv', authorization: 'nobody' });
    expect([unknown.status, unknown.type]).to.deep.equal([401, 'text/plain; charset=utf-8']);
    const signIn = await get(`${root}/runs.csv`, { accept: 'text/html', authorization: '' });
    expect(signIn.status).to.equal(303);
    const says = async (path: string) => {
      const { status, text } = await get(root + path, { accept: 'application/json' });
      return [status, text.trim()];
    };
    expect(await says('/runs?limit=0')).to.deep.equal([
      400,
      'limit must be a whole number from 1 to 1000',
    ]);
    expect((await says('/runs?q=%28%28'))[0]).to.equal(400);
    expect((await says('/compare?runs=x'))[0]).to.equal(400);
    expect((await says(`/compare?runs=${runs[0]?.key},x`))[0]).to.equal(404);
    // A run of another project is not at this address.
    const elsewhere = `/w/${server.workspace}/p/elsewhere/run/${runs[1]?.key}.json`;
    expect((await get(elsewhere, { accept: 'application/json' })).status).to.equal(404);
  });
});
