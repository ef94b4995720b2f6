// Runs that look through traces, with a clock that is moved and a model on this machine.
import { expect } from 'chai';
import { systemLog } from '#adapters/system/log';
import { readError } from '#core/agent-insights/errors';
import { askForRuns, runDue, type RunningNeeds } from '#core/agent-insights/running';
import type { InsightAnalyser, InsightTask } from '#ports/insight-analyser';
import type { ReportedIssue } from '#ports/model/agent-insights';
import { anInsightsJob, aReportedIssue } from '#test/contract/storage/agent-insights';
import { addProject, freshId, freshIdAt, freshKey } from '#test/contract/storage/builders';
import { aScore } from '#test/contract/storage/feedback';
import { aSpan, aTrace } from '#test/contract/storage/traces';
import { startJudgeServer, type JudgeServer } from '../automations/judge-server.js';
import { embedded } from '../opened.js';
import { addKey, analyserOver } from './analysers.js';

const goes = new AbortController().signal;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const noon = Date.parse('2026-05-10T12:00:00Z');
const always = { fromDay: '1970-01-01', toDay: '2100-01-01' };

describe('runs of agent insights', function () {
  this.timeout(60_000);
  const opened = embedded();
  const stores = () => opened().storage.stores;
  let server: JudgeServer;
  before(async () => {
    server = await startJudgeServer({
      explains: () =>
        JSON.stringify({
          issues: [
            {
              ...{ number: 1, relevant: true, name: 'Search is down', description: 'd' },
              ...{ cause: 'c', suggested_fix: 'restart', severity: 'critical' },
            },
            { number: 2, relevant: false },
          ],
        }),
      unpaid: () => 402,
      babbles: () => 'I like it',
    });
  });
  after(() => server?.stop());

  const analyserOf = (model?: string): InsightAnalyser => analyserOver(stores(), model);

  /** A project with a job and a clock of its own. */
  const world = async (given: Parameters<typeof anInsightsJob>[0] = {}) => {
    const { id: projectId, workspaceId } = await addProject(opened().storage);
    await stores().insightsJobs.insert(anInsightsJob({ projectId, ...given }));
    let now = noon;
    let on = true;
    const tasks: InsightTask[] = [];
    let answer: () => readonly ReportedIssue[] = () => [];
    const ours: InsightAnalyser = {
      async analyse(task) {
        if (task.projectId !== projectId) return { issues: [] };
        tasks.push(task);
        return { issues: answer() };
      },
    };
    const needsFor = (changed: Partial<RunningNeeds> = {}): RunningNeeds => ({
      storage: opened().storage,
      analyser: ours,
      toggles: { isOn: () => on },
      clock: { now: () => now },
      ids: { next: freshId, key: freshKey, digest: () => freshKey() },
      log: systemLog('silent'),
      hour: 1,
      deadline: () => goes,
      ...changed,
    });
    return {
      ...{ projectId, workspaceId, tasks, needsFor },
      pass(ms: number) {
        now += ms;
      },
      switchOff() {
        on = false;
      },
      answer(next: typeof answer) {
        answer = next;
      },
      async run(changed: Partial<RunningNeeds> = {}) {
        await askForRuns(needsFor(changed), goes);
        await runDue(needsFor(changed), goes);
      },
      job: () => stores().insightsJobs.find(projectId),
      issues: async () =>
        (
          await stores().insightsIssues.list({
            ...{ projectId, ...always, orders: [], offset: 0, limit: 100 },
          })
        ).content,
      async log(traces: readonly Partial<Parameters<typeof aTrace>[0]>[]) {
        const made = new Map(
          traces.map((one) => {
            const trace = aTrace({ projectId, ...one });
            return [trace.id, trace] as const;
          }),
        );
        await stores().traces.changeTraces(projectId, [...made.keys()], (id) => made.get(id));
        return [...made.keys()];
      },
    };
  };
  /** Traces that begin one second after the other, from a moment (ms) on. */
  const many = (
    count: number,
    from: number,
    given: (n: number) => Partial<Parameters<typeof aTrace>[0]> & { readonly lasts?: number },
  ) =>
    Array.from({ length: count }, (_, n) => {
      const startTime = (from + n * 1000) * 1000;
      const { lasts, ...others } = given(n);
      return {
        ...{ id: freshIdAt(startTime), startTime, ...others },
        ...(lasts === undefined ? {} : { endTime: startTime + lasts * 1000 }),
      };
    });

  it('come once a day for an enabled job, about the whole day before, whoever asks', async () => {
    const { run, needsFor, tasks, pass, job, answer, issues, projectId, workspaceId } = await world(
      {
        ...{ status: 'enabled', guidance: 'heed', guidanceVersion: 3 },
      },
    );
    answer(() => [aReportedIssue({ count: 7 })]);

    await Promise.all([askForRuns(needsFor(), goes), askForRuns(needsFor(), goes)]);
    await Promise.all([runDue(needsFor(), goes), runDue(needsFor(), goes)]);
    await run();
    expect(tasks).to.deep.equal([
      {
        ...{ projectId, workspaceId, guidance: 'heed' },
        from: Date.parse('2026-05-09T00:00:00Z') * 1000,
        to: Date.parse('2026-05-10T00:00:00Z') * 1000,
      },
    ]);
    expect(await job()).to.include({ scannedAt: noon * 1000, resultsVersion: 3 });
    expect(
      (await issues()).map(({ lastDay, occurrences }) => [lastDay, occurrences]),
    ).to.deep.equal([['2026-05-09', 7]]);
    pass(12.5 * hourMs); // past midnight, and before the hour
    await run();
    expect(tasks).to.have.length(1);
    pass(hourMs);
    await run();
    expect(tasks).to.have.length(2);
  });

  it('come for no job that is disabled, and once by themselves for an enrolled project', async () => {
    const { run, tasks, job, pass, projectId } = await world();
    await run();
    expect(tasks).to.have.length(0);

    await stores().insightsJobs.enrol([anInsightsJob({ projectId })]);
    await run();
    pass(3 * dayMs);
    await run();
    expect(tasks.map(({ from, to }) => [from, to])).to.deep.equal([
      [(noon - dayMs) * 1000, noon * 1000],
    ]);
    expect(await job()).to.include({ status: 'disabled', firstRunAt: noon * 1000 });
    const ended = await stores().insightsJobs.endEnrolment([projectId], {
      ...{ lastUpdatedAt: 1, lastUpdatedBy: 'ann' },
    });
    expect(ended.reset).to.deep.equal([]);
  });

  it('that die are taken up again once their claim is over, and given up after three tries', async () => {
    const { run, needsFor, tasks, job, pass, answer } = await world({ status: 'enabled' });
    answer(() => {
      throw new Error('died');
    });
    await run();
    await runDue(needsFor(), goes);
    expect(tasks).to.have.length(1);
    for (let n = 0; n < 4; n++) {
      pass(10 * 60_000);
      await runDue(needsFor(), goes);
    }
    expect(tasks).to.have.length(3);
    expect((await job())?.failure).to.include({ reason: 'timed_out' });
  });

  it('end with the process and are left to the next one', async () => {
    const { needsFor, tasks, pass, job } = await world({ status: 'enabled' });
    const stopping = new AbortController();
    await askForRuns(needsFor(), goes);
    const aborts: InsightAnalyser = {
      async analyse() {
        stopping.abort();
        return { issues: [] };
      },
    };
    await runDue(needsFor({ analyser: aborts }), stopping.signal);
    expect((await job())?.scannedAt).to.equal(undefined);
    pass(10 * 60_000);
    await runDue(needsFor(), goes);
    expect(tasks).to.have.length(1);
    expect((await job())?.scannedAt).to.equal((noon + 10 * 60_000) * 1000);
  });

  it('find errors by type and place, guardrails that failed, and how many users met them', async () => {
    const { run, log, issues, projectId } = await world({ status: 'enabled' });
    const error = (line: number) =>
      JSON.stringify({
        exception_type: 'Timeout',
        message: 'took too long',
        traceback: `Traceback:\n  File "/app/main.py", line 3, in main\n  File "/app/search.py", line ${line}, in look_up\nTimeout`,
      });
    const yesterday = noon - dayMs;
    const ids = await log(
      many(10, yesterday, (n) => ({
        name: 'ask',
        threadId: `talk ${n % 5}`,
        ...(n < 4 ? { errorInfo: error(n) } : {}),
        ...(n === 9 ? { errorInfo: '{"exception_type":"KeyError"}' } : {}),
      })),
    );
    // Of another day.
    await log(many(3, noon - 3 * dayMs, () => ({ errorInfo: error(1) })));
    const spans = ids
      .slice(3, 5)
      .map((traceId, n) =>
        aSpan({ projectId, traceId, id: freshIdAt((yesterday + n) * 1000), errorInfo: error(9) }),
      );
    await stores().traces.changeSpans(
      projectId,
      spans.map(({ id }) => id),
      (id) => spans.find((one) => one.id === id),
    );
    const [traceId = ''] = ids;
    await stores().guardrails.put(
      [true, false].map((passed, n) => ({
        ...{ projectId, id: freshId(), traceId, spanId: freshId(), passed },
        ...{ name: n === 0 ? 'TOPIC' : 'PII', config: undefined, details: undefined },
        ...{ createdAt: 1, createdBy: 'ann' },
      })),
    );

    const find = () => run({ analyser: analyserOf() });
    await find();
    const found = await issues();
    expect(
      found
        .map((one) => [one.name, one.severity, one.occurrences, one.total, one.usersImpacted])
        .sort(),
    ).to.deep.equal([
      ['Guardrail PII failed', 'medium', 1, 10, 1],
      ['KeyError at ask', 'medium', 1, 10, 1],
      ['Timeout at look_up in search.py', 'critical', 5, 10, 5],
    ]);
    expect(found.find(({ name }) => name.startsWith('Timeout'))).to.deep.include({
      ...{ cause: 'took too long', totalUsers: 5, lastDay: '2026-05-09', status: 'open' },
    });
    // The next look at the same day finds the same issues.
    const job = await stores().insightsJobs.find(projectId);
    if (job === undefined) throw new Error('the job is gone');
    await stores().insightsJobs.addRun({
      ...{ projectId, kind: 'triggered', id: freshId(), guidance: undefined, guidanceVersion: 0 },
      ...{ from: (noon - dayMs) * 1000, to: noon * 1000, tries: 0, dueAt: noon },
    });
    await find();
    expect((await issues()).map(({ id }) => id).sort()).to.deep.equal(
      found.map(({ id }) => id).sort(),
    );
  });

  it('find what is slower and dearer than in the days before, and scores that fell', async () => {
    const { run, log, issues, projectId } = await world({ status: 'enabled' });
    const past = await log(many(30, noon - 4 * dayMs, (n) => ({ name: 'ask', lasts: 100 + n })));
    const now = await log(
      many(20, noon - dayMs, (n) => ({ name: 'ask', lasts: n < 5 ? 5000 : 110 })),
    );
    await log(many(20, noon - dayMs, () => ({ name: 'new', lasts: 9000 })));
    const costs = [
      ...past.map((id) => [id, 0.01] as const),
      ...now.map((id, n) => [id, n < 6 ? 1 : 0.01] as const),
    ];
    const spans = costs.map(([traceId, cost]) => aSpan({ projectId, traceId, cost }));
    await stores().traces.changeSpans(
      projectId,
      spans.map(({ id }) => id),
      (id) => spans.find((one) => one.id === id),
    );
    await stores().feedback.putScores([
      ...past.map((entityId) => aScore({ projectId, entityId, name: 'good', value: 0.8 })),
      ...now.map((entityId) => aScore({ projectId, entityId, name: 'good', value: 0.5 })),
      ...[...past, ...now].map((entityId) =>
        aScore({ projectId, entityId, name: 'same', value: 0.5 }),
      ),
    ]);

    await run({ analyser: analyserOf() });
    expect(
      (await issues()).map(({ name, occurrences }) => [name, occurrences]).sort(),
    ).to.deep.equal([
      ['Score good fell', 20],
      ['ask is dear', 6],
      ['ask is slow', 5],
    ]);
  });

  const withKey = (workspaceId: string) => addKey(stores(), workspaceId, server.url);
  const failing = [
    ...many(3, noon - dayMs, () => ({ errorInfo: '{"exception_type":"A","message":"m"}' })),
    ...many(1, noon - dayMs, () => ({ errorInfo: '{"exception_type":"B"}' })),
  ];

  it('have a model explain what was counted, by the guidance, and leave out what it says', async () => {
    const { run, log, issues, workspaceId } = await world({
      ...{ status: 'enabled', guidance: 'B is fine', guidanceVersion: 1 },
    });
    await withKey(workspaceId);
    await log(failing.map((one) => ({ ...one, id: freshIdAt(one.startTime) })));

    await run({ analyser: analyserOf('explains') });
    expect(await issues()).to.have.length(1);
    expect((await issues())[0]).to.deep.include({
      ...{ name: 'Search is down', cause: 'c', suggestedFix: 'restart', severity: 'critical' },
      ...{ occurrences: 3, total: 4 },
    });
    const [asked] = server.asked.filter(({ model }) => model === 'explains');
    expect(asked?.messages[0]?.content).to.include('B is fine');
    expect(asked?.messages[1]?.content).to.include('A at (unnamed)');
  });

  it('tell why a model said nothing, and a provider that wants to be paid ends the daily runs', async () => {
    const after = async (model: string, keyed = true) => {
      const { run, log, workspaceId, job, pass } = await world({ status: 'enabled' });
      if (keyed) await withKey(workspaceId);
      await log(failing.map((one) => ({ ...one, id: freshIdAt(one.startTime) })));
      for (let n = 0; n < 3; n++) {
        await run({ analyser: analyserOf(model) });
        pass(10 * 60_000);
      }
      const { failure, status, scannedAt } = (await job()) ?? {};
      return [failure?.reason, status, scannedAt];
    };
    expect(await after('unpaid')).to.deep.equal(['out_of_credits', 'disabled', undefined]);
    expect(await after('explains', false)).to.deep.equal(['did_not_start', 'enabled', undefined]);
    expect(await after('babbles')).to.deep.equal(['failed', 'enabled', undefined]);
  });

  it('read where an error arose from the tracebacks of both languages', () => {
    const place = (traceback: string) => readError(JSON.stringify({ traceback }), 'span').place;
    expect(place('TypeError: x\n    at ask (/app/src/a.js:3:5)\n    at main (b.js:1:1)')).to.equal(
      'ask in a.js',
    );
    expect(place('File "C:\\app\\x.py", line 1, in <module>\n')).to.equal('<module> in x.py');
    expect(place('nothing')).to.equal('span');
    expect(readError('no json', 'span')).to.deep.equal({
      type: 'Error',
      place: 'span',
      message: '',
    });
  });
});
