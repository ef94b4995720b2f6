import { expect } from 'chai';
import type { InsightAnalyser } from '#ports/insight-analyser';
import {
  insightAnalyserContract,
  type InsightAnalyserStage,
} from '#test/contract/insight-analyser';
import { addProject, freshId, freshIdAt } from '#test/contract/storage/builders';
import { aTrace } from '#test/contract/storage/traces';
import { runAside } from '#test/contract/teeth';
import { startJudgeServer, type JudgeServer } from '../automations/judge-server.js';
import { embedded } from '../opened.js';
import { addKey, analyserOver } from './analysers.js';

describe('analysers of traces', function () {
  this.timeout(60_000);
  const opened = embedded();
  const stores = () => opened().storage.stores;
  let server: JudgeServer;
  before(async () => {
    const explanations = Array.from({ length: 40 }, (_, n) => ({
      ...{ number: n + 1, relevant: true, name: `It fails ${'again '.repeat(100)}` },
      ...{ description: 'd', cause: 'c', suggested_fix: 'f', severity: 'unheard of' },
    }));
    server = await startJudgeServer({
      explains: () => JSON.stringify({ issues: explanations }),
      'says-nothing': () => '{"issues":[]}',
      silent: () => undefined,
    });
  });
  after(() => server?.stop());

  const stageOf = (analyser: () => InsightAnalyser) => (): InsightAnalyserStage => ({
    analyser: analyser(),
    async addProject() {
      const { id: projectId, workspaceId } = await addProject(opened().storage);
      await addKey(stores(), workspaceId, server.url);
      return { workspaceId, projectId };
    },
    async log(projectId, traces) {
      const made = new Map(
        traces.map(({ at, error, thread }) => {
          const trace = aTrace({
            ...{ projectId, id: freshIdAt(at), name: 'ask', startTime: at, threadId: thread },
            ...(error === undefined
              ? {}
              : { errorInfo: JSON.stringify({ exception_type: error, message: 'it failed' }) }),
          });
          return [trace.id, trace] as const;
        }),
      );
      await stores().traces.changeTraces(projectId, [...made.keys()], (id) => made.get(id));
    },
  });
  const own = () => analyserOver(stores());

  for (const [what, model] of [
    ['that compares and counts', undefined],
    ['that has a model explain', 'explains'],
    ['whose model says nothing', 'says-nothing'],
  ] as const)
    describe(`the analyser ${what}`, () => {
      insightAnalyserContract(stageOf(() => analyserOver(stores(), model)));
    });

  it('wait for no model that is silent once they are told to end', async () => {
    const { addProject: add, log } = stageOf(own)();
    const project = await add();
    const [from, to] = [1_778_284_800_000_000, 1_778_371_200_000_000];
    await log(project.projectId, [{ at: from, error: 'Timeout' }]);
    const began = performance.now();
    const found = await analyserOver(stores(), 'silent')
      .analyse({ ...project, from, to, guidance: undefined }, AbortSignal.timeout(300))
      .catch(() => undefined);

    expect(performance.now() - began).to.be.within(200, 1500);
    expect(found === undefined || 'failure' in found).to.equal(true);
  });

  const mutants: Readonly<Record<string, (sound: InsightAnalyser) => InsightAnalyser>> = {
    'finds nothing': () => ({ analyse: async () => ({ issues: [] }) }),
    'makes new ids': (sound) => ({
      async analyse(task, signal) {
        const found = await sound.analyse(task, signal);
        return 'failure' in found
          ? found
          : { issues: found.issues.map((one) => ({ ...one, id: freshId() })) };
      },
    }),
    'counts what comes after the period': (sound) => ({
      analyse: (task, signal) => sound.analyse({ ...task, to: task.to + 1000 }, signal),
    }),
    'never fails aloud': () => ({
      analyse: async () => ({
        failure: { reason: 'failed', detail: 'it did not work', retry: true },
      }),
    }),
    'ignores the signal': (sound) => ({
      async analyse(task, signal) {
        const aborts = new Promise((wake) => {
          if (signal.aborted) setTimeout(wake, 3000);
          else wake(undefined);
        });
        const found = await sound.analyse(task, new AbortController().signal);
        await aborts;
        return found;
      },
    }),
  };
  for (const [fault, change] of Object.entries(mutants))
    it(`turn the suite red where one ${fault}`, async () => {
      const { failed } = await runAside(
        () => {
          insightAnalyserContract(stageOf(() => change(own())));
        },
        { bail: true },
      );
      expect(failed).not.to.deep.equal([]);
    });
});
