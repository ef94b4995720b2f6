import { expect } from 'chai';
import type { InsightsJob, InsightsRun, ReportedIssue } from '#ports/model/agent-insights';
import type { InsightsIssueListing } from '#ports/storage/agent-insights';
import type { Storage } from '#ports/storage/storage';
import { addProject, freshId, rejection, start } from './builders.js';

const micros = start * 1000;
const byAnn = {
  createdAt: micros,
  createdBy: 'ann',
  lastUpdatedAt: micros,
  lastUpdatedBy: 'ann',
} as const;

export const anInsightsJob = (given: Partial<InsightsJob> = {}): InsightsJob => ({
  id: freshId(),
  projectId: freshId(),
  status: 'disabled',
  enrolled: false,
  firstRunAt: undefined,
  scannedAt: undefined,
  failure: undefined,
  guidance: undefined,
  guidanceBy: undefined,
  guidanceAt: undefined,
  guidanceVersion: 0,
  resultsVersion: undefined,
  ...byAnn,
  ...given,
});
export const anInsightsRun = (given: Partial<InsightsRun> = {}): InsightsRun => ({
  projectId: freshId(),
  kind: 'triggered',
  id: freshId(),
  from: micros - 86_400_000_000,
  to: micros,
  guidance: undefined,
  guidanceVersion: 0,
  tries: 0,
  dueAt: start,
  ...given,
});
export const aReportedIssue = (given: Partial<ReportedIssue> = {}): ReportedIssue => ({
  id: freshId(),
  name: 'Zeitüberschreitung \u{1f600}',
  description: undefined,
  cause: undefined,
  suggestedFix: undefined,
  severity: undefined,
  tracesQuery: undefined,
  count: 1,
  total: 10,
  usersImpacted: 1,
  totalUsers: 5,
  metadata: undefined,
  ...given,
});

const bob = { lastUpdatedAt: micros + 5_000_000, lastUpdatedBy: 'bób' } as const;
const later = { lastUpdatedAt: bob.lastUpdatedAt, lastUpdatedBy: bob.lastUpdatedBy };

/** What every store of jobs keeps to. */
export const insightsJobContract = (storage: () => Storage): void => {
  const jobs = () => storage().stores.insightsJobs;
  const add = async (given: Partial<InsightsJob> = {}): Promise<InsightsJob> => {
    const { id: projectId } = await addProject(storage());
    const job = anInsightsJob({ projectId, ...given });
    await jobs().insert(job);
    return job;
  };
  const runsOf = async (projectId: string, now = start) =>
    (await jobs().listRuns(now, 10_000)).filter((run) => run.projectId === projectId);

  it('returns what was stored, and keeps one job of a project', async () => {
    const job = await add({
      ...{ status: 'enabled', enrolled: true, firstRunAt: micros, scannedAt: micros + 1 },
      failure: { reason: 'timed_out', detail: 'n\u{e4}me \u{1f600}', at: micros + 2 },
      ...{ guidance: `look \u{1f600} ${'x'.repeat(5000)}`, guidanceBy: 'bób' },
      ...{ guidanceAt: micros + 3, guidanceVersion: 4, resultsVersion: 3 },
    });
    const plain = await add();

    expect(await jobs().find(job.projectId)).to.deep.equal(job);
    expect(await jobs().find(plain.projectId)).to.deep.equal(plain);
    expect(await jobs().find(freshId())).to.equal(undefined);
    expect(await jobs().find('no-such-id')).to.equal(undefined);
    const again = anInsightsJob({ projectId: plain.projectId });
    expect(await rejection(jobs().insert(again))).to.include({ kind: 'conflict' });
    expect(await jobs().find(plain.projectId)).to.deep.equal(plain);
  });

  it('sets the status of a job, and of no other', async () => {
    const [job, other] = [await add(), await add()];

    const changed = { ...job, status: 'enabled', ...later };
    expect(await jobs().setStatus(job.projectId, 'enabled', bob)).to.deep.equal(changed);
    expect(await jobs().find(job.projectId)).to.deep.equal(changed);
    expect(await jobs().find(other.projectId)).to.deep.equal(other);
    expect(await jobs().setStatus(freshId(), 'enabled', bob)).to.equal(undefined);
  });

  it('counts the versions of guidance by the changes of its text, and makes a job that is missing', async () => {
    const { id: projectId } = await addProject(storage());
    const made = anInsightsJob({ projectId, ...bob });
    const said = { guidanceBy: bob.lastUpdatedBy, guidanceAt: bob.lastUpdatedAt };

    const first = await jobs().setGuidance(made, 'Look at \u{1f600}');
    expect(first).to.deep.equal({
      ...{ ...made, ...said },
      ...{ guidance: 'Look at \u{1f600}', guidanceVersion: 1 },
    });
    expect(await jobs().find(projectId)).to.deep.equal(first);
    const other = { ...anInsightsJob({ projectId }), lastUpdatedBy: 'cem' };
    const same = await jobs().setGuidance(other, 'Look at \u{1f600}');
    expect(same).to.include({ id: made.id, guidanceVersion: 1, guidanceBy: 'cem' });
    expect(await jobs().setGuidance(other, 'look at \u{1f600}')).to.include({ guidanceVersion: 2 });
    expect(await jobs().setGuidance(other, undefined)).to.deep.include({
      ...{ guidance: undefined, guidanceVersion: 3 },
    });
    expect(await jobs().setGuidance(other, undefined)).to.include({ guidanceVersion: 3 });
  });

  it('counts every change of guidance, of many at once', async () => {
    const job = await add();

    await Promise.all(Array.from({ length: 5 }, (_, n) => jobs().setGuidance(job, `text ${n}`)));

    expect(await jobs().find(job.projectId)).to.include({ guidanceVersion: 5 });
  });

  it('enrols projects that had no run by themselves, and makes their jobs', async () => {
    const job = await add();
    const ran = await add({ firstRunAt: micros });
    const { id: fresh } = await addProject(storage());
    const made = [job, ran].map(({ projectId }) => anInsightsJob({ projectId, ...bob }));
    const all = [...made, anInsightsJob({ projectId: fresh, enrolled: true })];

    const enrolment = await jobs().enrol(all);
    expect([...enrolment.changed].sort()).to.deep.equal([job.projectId, fresh].sort());
    expect([enrolment.alreadyRun, enrolment.reset]).to.deep.equal([[ran.projectId], []]);
    expect(await jobs().find(job.projectId)).to.deep.equal({ ...job, enrolled: true, ...later });
    expect(await jobs().find(fresh)).to.deep.equal(all[2]);
    expect(await jobs().find(ran.projectId)).to.deep.equal(ran);
    const waits = (await jobs().listEnrolled(10_000)).map(({ projectId }) => projectId);
    expect(waits).to.include.members([job.projectId, fresh]).and.not.include(ran.projectId);
    expect(await jobs().listEnrolled(1)).to.have.length(1);
    expect(await jobs().enrol([])).to.deep.equal({ changed: [], alreadyRun: [], reset: [] });
  });

  it('asks once for the run of an enrolled project by itself, of many who do', async () => {
    const job = await add({ enrolled: true });
    const { projectId } = job;
    const run = () => anInsightsRun({ projectId, kind: 'first' });

    const asked = await Promise.all(
      Array.from({ length: 4 }, () => jobs().addFirst(run(), micros + 1)),
    );
    expect(asked.filter((one) => one)).to.have.length(1);
    expect(await runsOf(projectId)).to.have.length(1);
    expect(await jobs().find(projectId)).to.deep.equal({ ...job, firstRunAt: micros + 1 });
    const listed = (await jobs().listEnrolled(10_000)).map((one) => one.projectId);
    expect(listed).to.not.include(projectId);
    const { projectId: not } = await add();
    expect(await jobs().addFirst({ ...run(), projectId: not }, micros)).to.equal(false);
    expect(await runsOf(not)).to.deep.equal([]);
  });

  it('forgets the run of a project by itself with its enrolment, unless it came to its end', async () => {
    const [open, done, other] = [
      await add({ enrolled: true }),
      await add({ enrolled: true }),
      await add({ enrolled: true }),
    ];
    for (const { projectId } of [open, done])
      await jobs().addFirst(anInsightsRun({ projectId, kind: 'first' }), micros);
    await jobs().noteFirstDone(done.projectId, micros);
    await jobs().noteFirstDone(other.projectId, micros);
    await jobs().addRun(anInsightsRun({ projectId: open.projectId }));

    const ids = [open, done].map(({ projectId }) => projectId);
    const ended = await jobs().endEnrolment([...ids, freshId(), 'no-such-id'], bob);
    expect([...ended.changed].sort()).to.deep.equal([...ids].sort());
    expect([ended.alreadyRun, ended.reset]).to.deep.equal([[], [open.projectId]]);
    expect(await jobs().find(open.projectId)).to.deep.equal({ ...open, enrolled: false, ...later });
    expect((await runsOf(open.projectId)).map(({ kind }) => kind)).to.deep.equal(['triggered']);
    expect(await jobs().find(done.projectId)).to.include({ enrolled: false, firstRunAt: micros });
    expect(
      (await jobs().enrol([anInsightsJob({ projectId: done.projectId })])).alreadyRun,
    ).to.deep.equal([done.projectId]);
    expect(
      (await jobs().enrol([anInsightsJob({ projectId: open.projectId })])).changed,
    ).to.deep.equal([open.projectId]);
    expect((await jobs().endEnrolment(ids, bob)).changed).to.deep.equal([open.projectId]);
    expect((await jobs().endEnrolment([other.projectId], bob)).reset).to.deep.equal([]);
  });

  it('asks once for the run of a day, of enabled jobs of projects that are there', async () => {
    const job = await add({ status: 'enabled', guidance: 'hear', guidanceVersion: 2 });
    const [idle, gone] = [await add(), await add({ status: 'enabled' })];
    await storage().stores.projects.markDeleted(gone.projectId, start);
    const due = async (day: number) =>
      (await jobs().listDue(day, 10_000)).filter(({ projectId }) =>
        [job, idle, gone].some((one) => one.projectId === projectId),
      );
    const { projectId } = job;
    const asking = { projectId, guidance: 'hear', guidanceVersion: 2 };

    expect(await due(100)).to.deep.equal([asking]);
    expect(await jobs().listDue(100, 1)).to.have.length(1);
    const run = (n: number) =>
      anInsightsRun({ ...asking, kind: 'scheduled', id: freshId(), from: n, to: n + 1 });
    const asked = await Promise.all([1, 2, 3].map((n) => jobs().addScheduled(100, run(n))));
    expect(asked.filter((one) => one)).to.have.length(1);
    expect(await due(100)).to.deep.equal([]);
    expect(await due(101)).to.deep.equal([asking]);
    expect(await runsOf(projectId)).to.have.length(1);
    // One that still waits gives way to the next.
    const next = run(7);
    expect(await jobs().addScheduled(101, next)).to.equal(true);
    expect(await runsOf(projectId)).to.deep.equal([next]);
    expect(await jobs().addScheduled(99, run(8))).to.equal(false);
    expect(await jobs().addScheduled(102, { ...run(9), projectId: idle.projectId })).to.equal(
      false,
    );
  });

  it('keeps one run of a kind, and gives it to one of many takers until its claim runs out', async () => {
    const { projectId } = await add();
    const run = anInsightsRun({ projectId, guidance: 'hear \u{1f600}', guidanceVersion: 3 });

    expect(await jobs().addRun(run)).to.equal(true);
    expect(await jobs().addRun({ ...run, id: freshId() })).to.equal(false);
    expect(await runsOf(projectId, start - 1)).to.deep.equal([]);
    expect(await runsOf(projectId)).to.deep.equal([run]);
    const claims = await Promise.all([1, 2, 3].map(() => jobs().claim(run, start + 1000)));
    expect(claims.filter((one) => one)).to.have.length(1);
    expect(await runsOf(projectId)).to.deep.equal([]);
    const claimed = { ...run, tries: 1, dueAt: start + 1000 };
    expect(await runsOf(projectId, start + 1000)).to.deep.equal([claimed]);
    await jobs().removeRun(projectId, 'triggered', freshId());
    await jobs().removeRun(projectId, 'first', run.id);
    expect(await runsOf(projectId, start + 1000)).to.deep.equal([claimed]);
    await jobs().removeRun(projectId, 'triggered', run.id);
    expect(await runsOf(projectId, start + 1000)).to.deep.equal([]);
    expect(await jobs().addRun(run)).to.equal(true);
  });

  it('lists those runs first that wait longest, but none of a deleted project', async () => {
    const [one, other] = [await add(), await add()];
    const first = anInsightsRun({ projectId: one.projectId, dueAt: -2 });
    const second = anInsightsRun({ projectId: other.projectId, kind: 'first', dueAt: -1 });
    await jobs().addRun(second);
    await jobs().addRun(first);

    const listed = (await jobs().listRuns(-1, 10)).map(({ id }) => id);
    expect(listed).to.deep.equal([first.id, second.id]);
    expect((await jobs().listRuns(-1, 1)).map(({ id }) => id)).to.deep.equal([first.id]);
    await storage().stores.projects.markDeleted(one.projectId, start);
    expect((await jobs().listRuns(-1, 10)).map(({ id }) => id)).to.deep.equal([second.id]);
    await jobs().removeRun(other.projectId, 'first', second.id);
  });

  it('notes reports and failures of a job', async () => {
    const job = await add({ status: 'enabled' });
    const failure = { reason: 'out_of_credits', detail: 'pay \u{1f600}', at: micros } as const;

    await jobs().noteReport(job.projectId, micros + 7, 3);
    await jobs().noteFailure(job.projectId, failure, false);
    expect(await jobs().find(job.projectId)).to.deep.equal({
      ...job,
      ...{ scannedAt: micros + 7, resultsVersion: 3, failure },
    });
    await jobs().noteReport(job.projectId, micros + 8, undefined);
    await jobs().noteFailure(job.projectId, failure, true);
    await jobs().noteReport(freshId(), micros, 1);
    expect(await jobs().find(job.projectId)).to.deep.equal({
      ...job,
      ...{ scannedAt: micros + 8, failure, status: 'disabled' },
    });
  });
};

/** What every store of issues keeps to. */
export const insightsIssueContract = (storage: () => Storage): void => {
  const issues = () => storage().stores.insightsIssues;
  const ann = { lastUpdatedAt: micros, lastUpdatedBy: 'ann' };
  const always = { fromDay: '1970-01-01', toDay: '2100-01-01' };
  const aProject = async () => (await addProject(storage())).id;
  const report = (projectId: string, day: string, ...all: readonly ReportedIssue[]) =>
    issues().report({ projectId, day, issues: all }, ann);
  const list = async (projectId: string, given: Partial<InsightsIssueListing> = {}) => {
    const { total, content } = await issues().list({
      ...{ projectId, ...always, orders: [], offset: 0, limit: 100, ...given },
    });
    return [total, content.map(({ id }) => id)] as const;
  };
  const textOf = (issue: ReportedIssue) => ({
    name: issue.name,
    description: issue.description,
    cause: issue.cause,
    suggestedFix: issue.suggestedFix,
    severity: issue.severity,
    tracesQuery: issue.tracesQuery,
  });
  const storedOf = (projectId: string, issue: ReportedIssue) => ({
    ...textOf(issue),
    ...{ id: issue.id, projectId, status: 'open', closeNote: undefined },
    ...{ statusChangedBy: undefined, statusChangedAt: undefined, ...byAnn },
  });
  const dayOf = (day: string, issue: ReportedIssue) => ({
    ...{ day, count: issue.count, total: issue.total },
    ...{ usersImpacted: issue.usersImpacted, totalUsers: issue.totalUsers },
    metadata: issue.metadata,
  });

  it('stores what a report says of an issue and of its day, and a day again in its place', async () => {
    const projectId = await aProject();
    const issue = aReportedIssue({
      ...{ description: 'd\u{1f600}', cause: 'c', suggestedFix: 's', severity: 'high' },
      ...{ tracesQuery: 'q', count: 2 ** 40, metadata: '{"k":"\u{1f600}"}' },
    });
    await report(projectId, '2026-05-02', issue, aReportedIssue());

    expect(await issues().find(projectId, issue.id)).to.deep.equal(storedOf(projectId, issue));
    const days = () => issues().listDays(projectId, issue.id, always);
    expect(await days()).to.deep.equal([dayOf('2026-05-02', issue)]);
    const again = aReportedIssue({ id: issue.id, name: 'other', severity: 'low', count: 3 });
    await issues().report({ projectId, day: '2026-05-01', issues: [again] }, bob);
    await issues().report({ projectId, day: '2026-05-02', issues: [again] }, bob);
    expect(await issues().find(projectId, issue.id)).to.deep.equal({
      ...storedOf(projectId, again),
      ...later,
    });
    expect(await days()).to.deep.equal([dayOf('2026-05-01', again), dayOf('2026-05-02', again)]);
    const window = { fromDay: '2026-05-02', toDay: '2026-05-02' };
    expect(await issues().listDays(projectId, issue.id, window)).to.have.length(1);
    expect(await issues().listDays(freshId(), issue.id, always)).to.deep.equal([]);
    expect(await issues().find(freshId(), issue.id)).to.equal(undefined);
    expect(await issues().find(projectId, 'no-such-id')).to.equal(undefined);
    await issues().report({ projectId, day: '2026-05-03', issues: [] }, bob);
    expect((await list(projectId))[0]).to.equal(2);
  });

  it('leaves the status of an issue and its note alone, whatever is reported', async () => {
    const projectId = await aProject();
    const issue = aReportedIssue();
    await report(projectId, '2026-05-01', issue);
    const closed = { status: 'closed', closeNote: 'no use \u{1f600}' } as const;
    expect(await issues().decide(projectId, issue.id, closed, bob)).to.equal(true);
    await report(projectId, '2026-05-02', { ...issue, name: 'again' });

    const found = await issues().find(projectId, issue.id);
    expect(found).to.deep.include({
      ...{ name: 'again', ...closed },
      ...{ statusChangedBy: bob.lastUpdatedBy, statusChangedAt: bob.lastUpdatedAt },
    });
  });

  it('notes who changed a status and when, but not where it stays', async () => {
    const projectId = await aProject();
    const issue = aReportedIssue();
    await report(projectId, '2026-05-01', issue);
    const decide = (status: 'open' | 'closed' | 'resolved', by: string, closeNote?: string) =>
      issues().decide(...([projectId, issue.id, { status, closeNote }] as const), {
        lastUpdatedAt: micros + by.length,
        lastUpdatedBy: by,
      });

    await decide('open', 'a');
    expect((await issues().find(projectId, issue.id))?.statusChangedBy).to.equal(undefined);
    await decide('closed', 'bo', 'first');
    await decide('closed', 'cem', 'second');
    expect(await issues().find(projectId, issue.id)).to.deep.include({
      ...{ status: 'closed', closeNote: 'second', statusChangedBy: 'bo' },
      ...{ statusChangedAt: micros + 2, lastUpdatedBy: 'cem', lastUpdatedAt: micros + 3 },
    });
    await decide('resolved', 'dora');
    expect(await issues().find(projectId, issue.id)).to.deep.include({
      ...{ status: 'resolved', closeNote: undefined, statusChangedBy: 'dora' },
    });
    const open = { status: 'open', closeNote: undefined } as const;
    expect(await issues().decide(freshId(), issue.id, open, bob)).to.equal(false);
    expect(await issues().decide(projectId, freshId(), open, bob)).to.equal(false);
    expect(await issues().decide(projectId, 'no-such-id', open, bob)).to.equal(false);
  });

  it("leaves out an issue whose id is another project's", async () => {
    const [own, other] = [await aProject(), await aProject()];
    const theirs = aReportedIssue({ name: 'theirs' });
    await report(other, '2026-05-01', theirs);
    const ours = aReportedIssue();
    await report(own, '2026-05-01', { ...theirs, name: 'stolen', count: 9 }, ours);
    await report(own, '2026-05-01', { ...theirs, name: 'stolen', count: 9 });

    expect(await list(own)).to.deep.equal([1, [ours.id]]);
    expect(await issues().find(other, theirs.id)).to.deep.equal(storedOf(other, theirs));
    expect(await issues().listDays(other, theirs.id, always)).to.deep.equal([
      dayOf('2026-05-01', theirs),
    ]);
    expect(await issues().listDays(own, theirs.id, always)).to.deep.equal([]);
  });

  it('stores one of two reports of a new issue at once after the other', async () => {
    const projectId = await aProject();
    const all = Array.from({ length: 60 }, () => aReportedIssue());

    await Promise.all([
      report(projectId, '2026-05-01', ...all),
      report(projectId, '2026-05-02', ...[...all].reverse()),
    ]);

    const { total, content } = await issues().list({
      ...{ projectId, ...always, orders: [], offset: 0, limit: 100 },
    });
    expect([total, content.every(({ days }) => days === 2)]).to.deep.equal([60, true]);
  });

  it('adds up the days of a window, and lists none without a day in it', async () => {
    const projectId = await aProject();
    const issue = aReportedIssue({ severity: 'low' });
    const days = [
      ['2026-04-30', 1],
      ['2026-05-01', 5],
      ['2026-05-03', 7],
      ['2026-05-04', 100],
    ] as const;
    for (const [day, count] of days)
      await report(projectId, day, { ...issue, count, total: 10, usersImpacted: 2, totalUsers: 3 });
    await report(projectId, '2026-05-09', aReportedIssue());

    const window = { fromDay: '2026-05-01', toDay: '2026-05-03' };
    const found = await issues().list({ projectId, ...window, orders: [], offset: 0, limit: 9 });
    expect(found).to.deep.equal({
      total: 1,
      content: [
        {
          ...storedOf(projectId, issue),
          ...{ occurrences: 12, latestCount: 7, total: 20, usersImpacted: 4, totalUsers: 6 },
          ...{ firstDay: '2026-05-01', lastDay: '2026-05-03', days: 2 },
        },
      ],
    });
    expect(await list(await aProject())).to.deep.equal([0, []]);
  });

  it('sorts and narrows lists, and breaks ties by last day, occurrences and id', async () => {
    const projectId = await aProject();
    const ids = Array.from({ length: 5 }, freshId).sort();
    const [a = '', b = '', c = '', d = '', e = ''] = ids;
    const made = [
      ['2026-05-01', aReportedIssue({ id: a, severity: 'critical', count: 9 })],
      ['2026-05-02', aReportedIssue({ id: b, severity: 'low', count: 1 })],
      ['2026-05-02', aReportedIssue({ id: c, count: 1 })],
      ['2026-05-02', aReportedIssue({ id: d, severity: 'high', count: 3 })],
      ['2026-05-01', aReportedIssue({ id: e, severity: 'medium', count: 2 })],
    ] as const;
    for (const [day, issue] of made) await report(projectId, day, issue);
    const by = (field: 'last_seen' | 'total_occurrences' | 'severity', descending: boolean) =>
      list(projectId, { orders: [{ field, descending }] });

    expect(await list(projectId)).to.deep.equal([5, [d, c, b, a, e]]);
    expect(await by('last_seen', false)).to.deep.equal([5, [a, e, d, c, b]]);
    expect(await by('total_occurrences', true)).to.deep.equal([5, [a, d, e, c, b]]);
    expect(await by('severity', false)).to.deep.equal([5, [a, d, e, b, c]]);
    expect(await by('severity', true)).to.deep.equal([5, [c, b, e, d, a]]);
    expect(await list(projectId, { offset: 1, limit: 2 })).to.deep.equal([5, [c, b]]);
    expect(await list(projectId, { offset: 9 })).to.deep.equal([5, []]);
    expect(await list(projectId, { severity: 'high' })).to.deep.equal([1, [d]]);
    await issues().decide(projectId, e, { status: 'resolved', closeNote: undefined }, bob);
    expect(await list(projectId, { status: 'resolved' })).to.deep.equal([1, [e]]);
    expect(await list(projectId, { status: 'open', severity: 'medium' })).to.deep.equal([0, []]);
  });
};
