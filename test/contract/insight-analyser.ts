// What every analyser of the traces of a project keeps to.
import { expect } from 'chai';
import type { InsightAnalyser, InsightTask } from '#ports/insight-analyser';
import { insightsSeverities, type ReportedIssue } from '#ports/model/agent-insights';

/** A trace of the suite. */
export interface LoggedTrace {
  /** When it began, in microseconds since 1970. */
  readonly at: number;
  /** The type of the error that ended it; without one it went well. */
  readonly error?: string;
  /** The conversation that it is a part of. */
  readonly thread?: string;
}

export interface InsightAnalyserStage {
  readonly analyser: InsightAnalyser;
  /** A new project, which nothing was logged to. */
  addProject(): Promise<Pick<InsightTask, 'workspaceId' | 'projectId'>>;
  /** Logs traces to a project; what is logged is read by the next question. */
  log(projectId: string, traces: readonly LoggedTrace[]): Promise<void>;
}

const secondMicros = 1_000_000;
const dayMicros = 86_400 * secondMicros;
const from = Date.parse('2026-05-09T00:00:00Z') * 1000;
const to = from + dayMicros;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Each case logs to a project of its own. */
export const insightAnalyserContract = (opened: () => InsightAnalyserStage): void => {
  const goes = new AbortController().signal;
  const place = async () => {
    const { addProject, analyser, log } = opened();
    const project = await addProject();
    return {
      log: (traces: readonly LoggedTrace[]) => log(project.projectId, traces),
      async issues(period: readonly [number, number] = [from, to]) {
        const task = { ...project, guidance: undefined, from: period[0], to: period[1] };
        const found = await analyser.analyse(task, goes);
        if ('failure' in found) throw new Error(`it failed: ${found.failure.detail}`);
        return found.issues;
      },
    };
  };
  /** Traces from a moment on, one a second, of which the first so many ended in an error. */
  const traces = (count: number, at: number, failed: number, error = 'Timeout'): LoggedTrace[] =>
    Array.from({ length: count }, (_, n) => ({
      ...{ at: at + n * secondMicros, thread: `talk ${n % 2}` },
      ...(n < failed ? { error } : {}),
    }));
  const counted = (issues: readonly ReportedIssue[]) =>
    issues.map(({ count, total }) => [count, total]);

  it('finds nothing where nothing was logged, and where nothing went wrong', async () => {
    const { log, issues } = await place();
    expect(await issues()).to.deep.equal([]);
    await log(traces(5, from, 0));
    expect(await issues()).to.deep.equal([]);
  });

  it('counts the traces with an issue, all traces, and the users of both', async () => {
    const { log, issues } = await place();
    await log([...traces(6, from, 3), { at: from + 9 * secondMicros, thread: 'other' }]);
    const [issue, ...others] = await issues();

    expect(others).to.deep.equal([]);
    expect(issue).to.include({ count: 3, total: 7, usersImpacted: 2, totalUsers: 3 });
  });

  it('tells of each kind of error once, in what a report takes', async () => {
    const { log, issues } = await place();
    await log([...traces(4, from, 2), ...traces(4, from + 3600 * secondMicros, 1, 'KeyError')]);
    const all = await issues();

    expect(all).to.have.length(2);
    expect(new Set(all.map(({ id }) => id)).size).to.equal(2);
    for (const { id, name, severity, metadata, count, total } of all) {
      expect(id).to.match(uuid);
      expect(name.length).to.be.within(1, 255);
      expect(severity).to.be.oneOf([...insightsSeverities, undefined]);
      if (metadata !== undefined) JSON.parse(metadata);
      expect(count).to.be.within(1, total);
    }
  });

  it('looks at the period alone: its beginning is a part of it, its end is none', async () => {
    const { log, issues } = await place();
    await log([
      { at: from - secondMicros, error: 'Timeout' },
      { at: from, error: 'Timeout' },
      { at: to - secondMicros, error: 'Timeout' },
      { at: to, error: 'Timeout' },
    ]);
    expect(counted(await issues())).to.deep.equal([[2, 2]]);
  });

  it('looks at one project alone', async () => {
    const [one, other] = [await place(), await place()];
    await one.log(traces(3, from, 3));
    expect(await other.issues()).to.deep.equal([]);
    expect(counted(await one.issues())).to.deep.equal([[3, 3]]);
  });

  it('gives the same thing the same id in every period, and in no other project', async () => {
    const [one, other] = [await place(), await place()];
    for (const { log } of [one, other]) await log(traces(3, from, 2));
    await one.log(traces(4, to, 3));
    const [first] = await one.issues();
    const [next] = await one.issues([to, to + dayMicros]);
    const [elsewhere] = await other.issues();

    expect(next?.count).to.equal(3);
    expect(next?.id).to.equal(first?.id);
    expect(elsewhere?.id).to.not.equal(first?.id);
  });

  it('changes nothing: asked again, it says the same', async () => {
    const { log, issues } = await place();
    await log(traces(5, from, 2));
    const first = await issues();
    expect(await issues()).to.deep.equal(first);
  });

  it('ends soon after its signal aborts', async () => {
    const { addProject, analyser, log } = opened();
    const project = await addProject();
    await log(project.projectId, traces(20, from, 5));
    const task = { ...project, from, to, guidance: undefined };
    const soon = async (signal: AbortSignal) => {
      const began = performance.now();
      await analyser.analyse(task, signal).catch(() => undefined);
      return performance.now() - began;
    };
    expect(await soon(AbortSignal.abort())).to.be.below(2000);
    expect(await soon(AbortSignal.timeout(1))).to.be.below(2000);
  });
};
