// The demo as a newcomer runs it: over a folder of its own, and read back as any client reads.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { plansOf } from '#config/demo/plans';
import { curvesOf } from '#config/demo/curves';
import { findFreePort } from '#test/servers/launch';

const cli = fileURLToPath(new URL('../../config/cli.js', import.meta.url));

interface Told {
  readonly url: string;
  readonly apiKey: string;
  readonly workspace: string;
  readonly project: string;
  readonly assistant: string;
  readonly models: readonly string[];
}

describe('the command orrery demo', function () {
  this.timeout(60_000);
  let folder: string;
  let child: ChildProcess | undefined;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'orrery-demo-'));
    mkdirSync(join(folder, 'elsewhere'));
  });
  after(async () => {
    if (child?.exitCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    rmSync(folder, { recursive: true, force: true });
  });
  const environment = { PATH: process.env['PATH'], TMPDIR: process.env['TMPDIR'], NO_COLOR: '1' };
  const refuse = (...words: readonly string[]): string => {
    const { status, stderr } = spawnSync(process.execPath, [cli, 'demo', ...words], {
      cwd: join(folder, 'elsewhere'),
      env: environment,
      encoding: 'utf8',
    });
    expect(status).to.equal(1);
    return stderr;
  };
  /** Runs it with a server of its own; resolves with what it told programs. */
  const serve = async (): Promise<Told> => {
    const words = ['demo', '--serve', join(folder, 'data'), '--runs', '16', '--json'];
    const started = spawn(process.execPath, [cli, ...words], {
      env: { ...environment, ORRERY_PORT: String(await findFreePort()) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = started;
    let [out, err] = ['', ''];
    started.stderr.on('data', (piece: Buffer) => {
      err += piece.toString();
    });
    started.stdout.on('data', (piece: Buffer) => {
      out += piece.toString();
    });
    while (!out.trimEnd().endsWith('}')) {
      if (started.exitCode !== null) throw new Error(`it ended: ${err.slice(-500)}`);
      await new Promise((wake) => setTimeout(wake, 50));
    }
    return JSON.parse(out) as Told; // what `--json` promises
  };

  it('logs runs, models, artifacts and traces that are read back, and leaves a project alone that is there', async () => {
    const told = await serve();
    const { origin } = new URL(told.url);
    const read = async (path: string): Promise<Record<string, unknown>> => {
      const reply = await fetch(origin + path, { headers: { authorization: told.apiKey } });
      expect([path, reply.status]).to.deep.equal([path, 200]);
      return (await reply.json()) as Record<string, unknown>; // an object, as every reply of the API
    };
    const of = `workspaceName=${told.workspace}`;
    const rest = '/api/rest/v2';

    const { experiments } = (await read(
      `${rest}/experiments?${of}&projectName=${told.project}`,
    )) as { experiments: { experimentKey: string; running: boolean; hasCrashed: boolean }[] }; // as the row says
    const models = (await read(
      `${rest}/registry-model/details?${of}&modelName=${told.models[0] ?? ''}`,
    )) as { versions: { status: string; experimentModel: { experimentKey: string } }[] }; // as the row says
    const requests = await read(`${rest}/registry-model/status-requests?${of}&state=PENDING`);
    const best = models.versions[0]?.experimentModel.experimentKey ?? '';
    const comments = await read(`/v1/private/ui/runs/${best}/comments`);
    const artifact = `${rest}/artifacts/version/files?workspace=${told.workspace}&artifactName=${told.project}-images`;
    const { files } = (await read(artifact)) as { files: { fileName: string }[] }; // as the row says

    expect(experiments).to.have.lengthOf(16);
    expect(experiments.filter(({ running }) => running)).to.have.lengthOf(3);
    expect(experiments.filter(({ hasCrashed }) => hasCrashed)).to.have.lengthOf(2);
    expect(models.versions.map(({ status }) => status)).to.deep.equal([
      'None',
      'Production',
      'QA',
      'Archived',
    ]);
    expect(requests['total']).to.equal(1);
    expect(comments['comments']).to.have.lengthOf(2);
    expect(files.map(({ fileName }) => fileName)).to.include('validation.csv');
    const counted = async (list: string): Promise<unknown> =>
      (await read(`/v1/private/${list}`))['total'];
    for (const [list, least] of [
      [`traces?project_name=${told.assistant}`, 80],
      [`spans?project_name=${told.assistant}`, 350],
      [`traces/threads?project_name=${told.assistant}`, 50],
      ['datasets', 1],
      ['experiments', 3],
      ['prompts', 1],
      ['annotation-queues', 1],
      ['dashboards', 1],
      ['alerts', 1],
    ] as const)
      expect([list, await counted(list)]).to.satisfy(
        ([, total]: [string, number]) => total >= least,
      );
    expect(refuse('--url', origin, '--api-key', told.apiKey)).to.contain(
      `has a project ${told.project} already`,
    );
    expect(refuse('--url', origin, '--api-key', 'made-up')).to.contain(
      'does not know this API key',
    );
    expect(
      refuse('--url', origin, '--api-key', told.apiKey, '--workspace', 'elsewhere'),
    ).to.contain('is in no workspace elsewhere');
  });

  it('refuses in a sentence what it cannot do', async () => {
    mkdirSync(join(folder, 'full'));
    writeFileSync(join(folder, 'full', 'a'), '');
    const nobody = `http://127.0.0.1:${String(await findFreePort())}`;

    expect(refuse()).to.contain('the demo needs an API key');
    expect(refuse('--api-key', 'x')).to.contain('the demo needs the address');
    expect(refuse('--api-key', 'x', '--url', nobody)).to.contain(`no server answers at ${nobody}`);
    expect(refuse('--runs', '3')).to.contain('--runs must be a whole number from 16');
    expect(refuse('--serve', join(folder, 'full'))).to.contain('is not empty');
  });

  it('draws the same curves each time, one of them to what is not a number', () => {
    const plans = plansOf(300);
    const diverged = plans.filter(({ outcome }) => outcome === 'diverged');

    expect(plansOf(300)).to.deep.equal(plans);
    expect(diverged.length).to.be.within(5, 20);
    for (const plan of diverged)
      expect(curvesOf(plan).some(({ value }) => Number.isNaN(value))).to.equal(true);
    for (const plan of plans.filter(({ outcome }) => outcome === 'finished'))
      for (const { value } of curvesOf(plan)) expect(value).to.satisfy(Number.isFinite);
  });
});
