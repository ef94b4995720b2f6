// Rules that score what is logged, with models on this machine.
import { expect } from 'chai';
import { setTimeout as wait } from 'node:timers/promises';
import { httpChatModels } from '#adapters/chat-model/http/chat-models';
import { noMetrics } from '#adapters/metric-runner/off';
import { systemIds } from '#adapters/system/ids';
import { systemLog } from '#adapters/system/log';
import { createOutgoing } from '#adapters/system/outgoing';
import { gcmSealer } from '#adapters/system/sealer';
import { judgeTargets } from '#adapters/system/targets';
import type { RunningNeeds } from '#core/automations/needs';
import { runDue } from '#core/automations/running';
import type { MetricAnswer, MetricCall, MetricRunner, MetricScore } from '#ports/metric-runner';
import type { JudgeCode } from '#ports/model/automations';
import type { AutomationStore } from '#ports/storage/automations';
import type { Storage } from '#ports/storage/storage';
import { aRule } from '#test/contract/storage/automations';
import { addProject, freshId, freshName, start } from '#test/contract/storage/builders';
import { aSpan, aTrace } from '#test/contract/storage/traces';
import { embedded } from '../opened.js';
import { startJudgeServer, type JudgeServer } from './judge-server.js';

const goes = new AbortController().signal;
const secret = 'x'.repeat(32);
const good = JSON.stringify({
  Quality: { score: 0.75, reason: 'well said' },
  Safe: { score: true, reason: 'nothing bad' },
});

describe('rules that score what is logged', function () {
  this.timeout(60_000);
  const opened = embedded();
  const storage = () => opened().storage;
  const stores = () => storage().stores;
  let server: JudgeServer;
  before(async () => {
    server = await startJudgeServer({
      says: () => good,
      'limited-once': (n) => (n === 0 ? 429 : good),
      limited: () => 429,
      silent: () => undefined,
      refuses: () => 400,
      babbles: () => 'I like it',
    });
  });
  after(() => server?.stop());

  let now = start;
  const modelsWithin = (limitMs: number) =>
    httpChatModels({
      outgoing: createOutgoing(judgeTargets('127.0.0.1')),
      now: () => Date.now(),
      limits: { limitMs, attempts: 1 },
    });
  const needsFor = (given: Partial<RunningNeeds> = {}): RunningNeeds => ({
    storage: storage(),
    clock: { now: () => now },
    ids: systemIds,
    log: systemLog('silent'),
    models: modelsWithin(60_000),
    metrics: noMetrics,
    sealer: gcmSealer(() => secret),
    prices: '',
    holder: freshName('holder'),
    retryMs: 0,
    pause: (ms) => wait(Math.min(ms, 5)),
    ...given,
  });
  const run = (given: Partial<RunningNeeds> = {}, signal = goes) => runDue(needsFor(given), signal);

  const codeFor = (model: string): JudgeCode => ({
    model: { name: `custom-llm/own/${model}`, temperature: 0 },
    messages: [{ role: 'USER', content: 'Judge {{answer}} with {{spans}} in {{context}}' }],
    variables: { answer: 'output.text', spans: 'spans' },
    schema: [
      { name: 'Quality', type: 'DOUBLE', description: 'how good' },
      { name: 'Safe', type: 'BOOLEAN', description: 'whether' },
    ],
  });
  type Rule = Parameters<AutomationStore['insert']>[0];
  /** A project with a model and a rule of it. */
  const stage = async (model: string, given: Partial<Rule> = {}) => {
    const { id: projectId, workspaceId } = await addProject(storage());
    await stores().providerKeys.insert({
      ...{ workspaceId, id: freshId(), provider: 'custom-llm', providerName: 'own' },
      ...{ name: undefined, sealedKey: undefined, maskedKey: undefined, baseUrl: server.url },
      ...{ sealedHeaders: undefined, configuration: undefined },
      ...{ createdAt: 1, createdBy: 'ann', lastUpdatedAt: 1, lastUpdatedBy: 'ann' },
    });
    const rule = aRule({
      ...{ workspaceId, projectIds: [projectId], name: 'judging', code: codeFor(model) },
      ...given,
    });
    await stores().automations.insert(rule);
    return { projectId, workspaceId, rule };
  };
  const logTrace = async (projectId: string, given: Partial<ReturnType<typeof aTrace>> = {}) => {
    const trace = aTrace({ projectId, output: '{"text":"forty-two"}', createdBy: 'eve', ...given });
    await stores().automationRuns.enqueue(projectId, 'trace', [trace.id], 0);
    await stores().traces.changeTraces(projectId, [trace.id], () => trace);
    return trace;
  };
  const scoresOf = async (
    projectId: string,
    entityId: string,
    kind: 'trace' | 'span' | 'thread' = 'trace',
  ) => {
    const found = await stores().feedback.listScores(projectId, kind, [entityId]);
    return found.map(({ name, value, reason, source, author }) =>
      [name, value, reason, source, author].join(),
    );
  };
  const both = [
    'Quality,0.75,well said,online_scoring,eve',
    'Safe,1,nothing bad,online_scoring,eve',
  ];
  const logsOf = async ({ id }: Pick<Rule, 'id'>) =>
    (await stores().automationRuns.listLogs(id, 100))
      .map(({ level, message }) => `${level} ${message}`)
      .reverse();
  const askedOf = (text: string) =>
    server.asked.filter(({ messages }) => JSON.stringify(messages).includes(text));
  const isEmpty = async (s: Storage = storage()) =>
    (await s.stores.automationRuns.claim('looks', 1, 0)).length === 0;

  it('store what the model says of a trace, with its spans, as its author’s', async () => {
    const { projectId, rule } = await stage('says');
    const trace = await logTrace(projectId);
    const span = aSpan({ projectId, traceId: trace.id, name: 'searching' });
    await stores().traces.changeSpans(projectId, [span.id], () => span);

    await run();

    expect(await scoresOf(projectId, trace.id)).to.deep.equal(both);
    const [asked] = askedOf(span.id);
    expect(asked?.messages[0]?.content).to.match(
      /^Judge forty-two with .*searching.* in {{context}}$/,
    );
    expect(JSON.stringify(asked?.response_format)).to.include('"Quality":{');
    const lines = await logsOf(rule);
    for (const [at, part] of ['was sampled', 'sent the trace', 'answered', 'stored'].entries())
      expect(lines[at]).to.include(part).and.to.include(trace.id);
    const [line] = await stores().automationRuns.listLogs(rule.id, 1);
    expect(line?.markers).to.deep.equal({ trace_id: trace.id });
    expect(await isEmpty()).to.equal(true);
  });

  it('score spans, and threads once they are inactive or closed, anew with further traces', async () => {
    const spans = await stage('says', { type: 'span_llm_as_judge' });
    const span = aSpan({
      ...{ projectId: spans.projectId, output: '{"text":"1"}', createdBy: 'eve' },
    });
    await stores().automationRuns.enqueue(spans.projectId, 'span', [span.id], 0);
    await stores().traces.changeSpans(spans.projectId, [span.id], () => span);
    const { variables: _, ...code } = codeFor('says');
    const threads = await stage('says', { type: 'trace_thread_llm_as_judge', code });
    const { projectId } = threads;
    now = Date.now();
    const stamps = { createdAt: now * 1000, lastUpdatedAt: now * 1000, lastUpdatedBy: 'eve' };
    const threadId = freshName('thread');
    const trace = await logTrace(projectId, { ...stamps, threadId, input: '"six times seven"' });

    await run();

    expect(await scoresOf(spans.projectId, span.id, 'span')).to.deep.equal(both);
    const [thread] = await stores().threads.find(projectId, [threadId]);
    const id = thread?.id ?? '';
    expect(await scoresOf(projectId, id, 'thread')).to.deep.equal([]);
    expect(await scoresOf(projectId, trace.id)).to.deep.equal([]);
    await stores().threads.setClosed([id], true, { at: now * 1000, by: 'ann' });
    await stores().automationRuns.enqueue(projectId, 'thread', [id], 0);
    await run();
    expect(await scoresOf(projectId, id, 'thread')).to.deep.equal(both);
    expect(askedOf('six times seven')[0]?.messages[0]?.content).to.include(
      '[{"role":"user","content":"six times seven"},{"role":"assistant","content":{"text":"forty-two"}}]',
    );
    await logTrace(projectId, { ...stamps, threadId, input: '"and one more"' });
    now += 3_600_000;
    await run();
    expect(askedOf('and one more')).to.have.length(1);
    now = start;
  });

  it('leave out what filters do not let through, what is not sampled, and what a disabled rule would score', async () => {
    const filters = [{ field: 'name', operator: '=', value: 'wanted' }];
    const { projectId, workspaceId, rule } = await stage('says', { filters });
    const none = aRule({ ...rule, id: freshId(), name: 'none', filters: [], samplingRate: 0 });
    const off = aRule({ ...rule, id: freshId(), name: 'off', filters: [], enabled: false });
    const python = aRule({
      ...{ ...rule, id: freshId(), name: 'python', filters: [] },
      ...{ type: 'user_defined_metric_python', code: { metric: 'x', arguments: {} } },
    });
    for (const one of [none, off, python]) await stores().automations.insert(one);
    const [wanted, other] = [
      await logTrace(projectId, { name: 'wanted' }),
      await logTrace(projectId, { name: 'other' }),
    ];

    await run();

    expect(await scoresOf(projectId, wanted.id)).to.deep.equal(both);
    expect(await scoresOf(projectId, other.id)).to.deep.equal([]);
    expect((await logsOf(rule)).join('\n')).to.include(
      `INFO The trace ${other.id} was skipped by rule 'judging': its filters do not match`,
    );
    expect((await logsOf(none)).join('\n')).to.match(/INFO .* not in the sample at the rate 0/);
    expect((await logsOf(python)).join('\n')).to.match(/WARN .* runs no Python metrics/);
    expect(await logsOf(off)).to.deep.equal([]);
    expect(workspaceId).to.equal(rule.workspaceId);
  });

  it('score what somebody asks for, whatever they filter and sample, and though they are disabled', async () => {
    const filters = [{ field: 'name', operator: '=', value: 'wanted' }];
    const given = { filters, samplingRate: 0, enabled: false };
    const { projectId, rule } = await stage('says', given);
    const python = aRule({
      ...{ ...rule, id: freshId(), name: 'python' },
      ...{ type: 'user_defined_metric_python', code: { metric: 'x', arguments: {} } },
    });
    await stores().automations.insert(python);
    const [asked, other] = [await logTrace(projectId), await logTrace(projectId)];

    await stores().automationRuns.enqueueFor(
      ...[projectId, 'trace' as const, [asked.id, freshId()], [rule.id, python.id]],
    );
    await run();

    expect(await scoresOf(projectId, asked.id)).to.deep.equal(both);
    expect(await scoresOf(projectId, other.id)).to.deep.equal([]);
    expect((await logsOf(rule)).join('\n')).to.match(/WARN .*it is not there any more/);
    expect((await logsOf(python)).join('\n')).to.match(/WARN .* runs no Python metrics/);
    expect(await isEmpty()).to.equal(true);
  });

  describe('in Python', () => {
    const scores = (...given: readonly MetricScore[]): MetricAnswer => ({
      scores: given,
      failed: [],
    });
    const length = { name: 'Length', value: 9, reason: 'it was counted' };
    /** A runner that answers what it is told to, and notes what it was asked. */
    const answering = (...answers: readonly MetricAnswer[]) => {
      const asked: MetricCall[] = [];
      const metrics: MetricRunner = {
        isOn: true,
        async run(call) {
          const answer = answers[Math.min(asked.push(call), answers.length) - 1];
          if (answer === undefined) throw new Error('it has no answer');
          return answer;
        },
      };
      return { asked, metrics };
    };
    const source = 'class Metric: ...';
    const stagePython = (given: Partial<Rule> = {}, paths: Readonly<Record<string, string>> = {}) =>
      stage('says', {
        ...{ name: 'measuring', type: 'user_defined_metric_python' },
        ...{ code: { metric: source, arguments: paths } },
        ...given,
      });

    it('store what a program gives for a trace, as its author’s, and tell of it', async () => {
      const { projectId, rule } = await stagePython();
      const { asked, metrics } = answering(
        scores(length, { name: 'Safe', value: 1, reason: undefined }),
      );
      const trace = await logTrace(projectId);

      await run({ metrics });

      expect(await scoresOf(projectId, trace.id)).to.deep.equal([
        'Length,9,it was counted,online_scoring,eve',
        'Safe,1,,online_scoring,eve',
      ]);
      expect(asked.map((call) => call.source)).to.deep.equal([source]);
      const lines = await logsOf(rule);
      for (const [at, part] of ['was sampled', 'to its metric', 'Length = 9'].entries())
        expect(lines[at]).to.include(part).and.to.include(trace.id);
      expect(await isEmpty()).to.equal(true);
    });

    it('hand over what paths lead to as it is, spans with it, and leave out what is not there', async () => {
      const { projectId } = await stagePython(
        {},
        {
          ...{ text: 'output.text', all: 'input', second: 'input.list[1]', none: 'output.no' },
          ...{ nothing: 'metadata.nothing', literal: 'as it is', spans: 'spans' },
        },
      );
      const { asked, metrics } = answering(scores(length));
      const trace = await logTrace(projectId, {
        input: '{"list":[1,{"deep":true}]}',
        metadata: '{"nothing":null}',
      });
      const span = aSpan({ projectId, traceId: trace.id, name: 'searching' });
      await stores().traces.changeSpans(projectId, [span.id], () => span);

      await run({ metrics });

      const { spans, ...others } = asked[0]?.arguments ?? {};
      expect(others).to.deep.equal({
        ...{ text: 'forty-two', all: { list: [1, { deep: true }] }, second: { deep: true } },
        ...{ nothing: null, literal: 'as it is' },
      });
      expect(spans).to.have.length(1);
      expect((spans as readonly unknown[])[0]).to.include({ id: span.id, name: 'searching' }); // a list, as was just seen
      expect(asked[0]).to.not.have.property('first');
    });

    it('score spans, and closed threads by their conversation', async () => {
      const spans = await stagePython(
        { type: 'span_user_defined_metric_python' },
        { text: 'output' },
      );
      const { asked, metrics } = answering(scores(length));
      const span = aSpan({ projectId: spans.projectId, output: '"said"', createdBy: 'eve' });
      await stores().automationRuns.enqueue(spans.projectId, 'span', [span.id], 0);
      await stores().traces.changeSpans(spans.projectId, [span.id], () => span);

      await run({ metrics });

      expect(await scoresOf(spans.projectId, span.id, 'span')).to.have.length(1);
      expect(asked[0]?.arguments).to.deep.equal({ text: 'said' });

      const { projectId } = await stagePython({
        type: 'trace_thread_user_defined_metric_python',
        code: { metric: source },
      });
      const threadId = freshName('thread');
      await logTrace(projectId, { threadId, lastUpdatedBy: 'eve', input: '"six times seven"' });
      const [thread] = await stores().threads.find(projectId, [threadId]);
      const id = thread?.id ?? '';
      await stores().threads.setClosed([id], true, { at: now * 1000, by: 'ann' });
      await stores().automationRuns.enqueue(projectId, 'thread', [id], 0);
      await run({ metrics });
      expect(await scoresOf(projectId, id, 'thread')).to.deep.equal([
        'Length,9,it was counted,online_scoring,eve',
      ]);
      expect(asked[1]).to.deep.equal({
        ...{ source, arguments: {} },
        first: [
          { role: 'user', content: 'six times seven' },
          { role: 'assistant', content: { text: 'forty-two' } },
        ],
      });
    });

    it('tell what a program failed in, and do not try it again', async () => {
      const { projectId, rule } = await stagePython();
      const { asked, metrics } = answering({
        fault: { message: 'failed in line 6: ValueError: no luck\0', retry: false },
      });
      const trace = await logTrace(projectId);

      await run({ metrics });

      expect(await scoresOf(projectId, trace.id)).to.deep.equal([]);
      expect(asked).to.have.length(1);
      expect((await logsOf(rule)).at(-1)).to.equal(
        `ERROR The trace ${trace.id} was not scored by rule 'measuring': its metric failed in line 6: ValueError: no luck\uFFFD`,
      );
      expect(await isEmpty()).to.equal(true);
    });

    it('try again where that may go better, three times at most', async () => {
      const unstarted: MetricAnswer = { fault: { message: 'could not be started', retry: true } };
      const { projectId, rule } = await stagePython();
      const recovering = answering(unstarted, scores(length));
      const trace = await logTrace(projectId);

      await run({ metrics: recovering.metrics });

      expect(await scoresOf(projectId, trace.id)).to.have.length(1);
      expect((await logsOf(rule)).join('\n')).to.match(
        /WARN .*, and is tried again later: its metric could/,
      );
      const lost = answering(unstarted);
      await logTrace(projectId);
      await run({ metrics: lost.metrics });
      expect(lost.asked).to.have.length(3);
      expect((await logsOf(rule)).at(-1)).to.match(/^ERROR .* its metric could not be started$/);
      expect(await isEmpty()).to.equal(true);
    });

    it('leave out scores that cannot be kept, and tell of them and of those that failed', async () => {
      const { projectId, rule } = await stagePython();
      const { metrics } = answering({
        scores: [
          { name: 'Great', value: 1e12, reason: undefined },
          { name: ' ', value: 1, reason: undefined },
          { name: 'Kept', value: 0.12345678912, reason: 'a\0b' },
        ],
        failed: ['Broken'],
      });
      const trace = await logTrace(projectId);

      await run({ metrics });

      expect(await scoresOf(projectId, trace.id)).to.deep.equal([
        'Kept,0.123456789,a\uFFFDb,online_scoring,eve',
      ]);
      const lines = (await logsOf(rule)).join('\n');
      expect(lines)
        .to.match(/WARN .*Great = 1000000000000/)
        .and.to.match(/WARN .*for Broken/);
    });

    it('go on with another process where one ends while a program runs', async () => {
      const { projectId } = await stagePython();
      const stopping = new AbortController();
      const trace = await logTrace(projectId);
      const ending: MetricRunner = {
        isOn: true,
        async run() {
          stopping.abort();
          return { fault: { message: 'was stopped', retry: true } };
        },
      };

      await run({ metrics: ending }, stopping.signal);
      expect(await scoresOf(projectId, trace.id)).to.deep.equal([]);
      await run({ metrics: answering(scores(length)).metrics });

      expect(await scoresOf(projectId, trace.id)).to.have.length(1);
    });
  });

  it('wait for what is logged before it has an end', async () => {
    const { projectId } = await stage('says');
    const trace = await logTrace(projectId, { output: undefined });

    await run();
    expect(await scoresOf(projectId, trace.id)).to.deep.equal([]);
    const ended = { ...trace, output: '"done"', endTime: trace.startTime + 5 };
    await stores().traces.changeTraces(projectId, [trace.id], () => ended);
    await stores().automationRuns.enqueue(projectId, 'trace', [trace.id], 0);
    await run();

    expect(await scoresOf(projectId, trace.id)).to.deep.equal(both);
  });

  it('ask a model again that is busy, three times at most', async () => {
    const once = await stage('limited-once');
    const never = await stage('limited');
    const silent = await stage('silent');
    const [a, b, c] = [
      await logTrace(once.projectId),
      await logTrace(never.projectId),
      await logTrace(silent.projectId),
    ];

    await run({ models: modelsWithin(1000) });

    expect(await scoresOf(once.projectId, a.id)).to.deep.equal(both);
    expect((await logsOf(once.rule)).join('\n')).to.match(/WARN .*asked again later/);
    for (const [{ projectId, rule }, { id }] of [
      [never, b],
      [silent, c],
    ] as const) {
      expect(await scoresOf(projectId, id)).to.deep.equal([]);
      const lines = await logsOf(rule);
      expect(lines.filter((line) => line.startsWith('WARN'))).to.have.length(2);
      expect(lines.at(-1)).to.match(/^ERROR .*did not judge/);
    }
    const asked = (name: string) => server.asked.filter(({ model }) => model === name).length;
    expect([asked('limited-once'), asked('limited'), asked('silent')]).to.deep.equal([2, 3, 3]);
    expect(await isEmpty()).to.equal(true);
  });

  it('tell in their logs what no further try puts right', async () => {
    for (const [model, level, says] of [
      ['refuses', 'ERROR', /not now/],
      ['babbles', 'WARN', /no score for 'Quality', 'Safe'/],
      ['../none', 'ERROR', /provider/],
    ] as const) {
      const named = { ...codeFor(model), model: { name: `custom-llm/other/${model}` } };
      const code = model === '../none' ? named : codeFor(model);
      const { projectId, rule } = await stage(model, { code });
      const { id } = await logTrace(projectId);

      await run();

      expect(await scoresOf(projectId, id)).to.deep.equal([]);
      const last = (await logsOf(rule)).at(-1);
      expect(last, model).to.match(says);
      expect(last?.startsWith(level), last).to.equal(true);
    }
    expect(await isEmpty()).to.equal(true);
  });

  it('score each thing once, whoever runs at the same time', async () => {
    const { projectId } = await stage('says');
    const traces = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        logTrace(projectId, { output: JSON.stringify({ text: `number ${at} of twelve` }) }),
      ),
    );

    await Promise.all([run(), run(), run()]);

    for (const { id } of traces) expect(await scoresOf(projectId, id)).to.deep.equal(both);
    expect(askedOf('of twelve')).to.have.length(12);
  });

  it('tell in the log of a rule that a thing was given up, of which processes died before anything was noted', async () => {
    const { projectId, rule } = await stage('says');
    const { id } = await logTrace(projectId);
    const { automationRuns } = stores();
    const isOurs = ({ entityId }: { readonly entityId: string }) => entityId === id;
    for (let died = 0; died < 3; died++) {
      const claimed = await automationRuns.claim('dies', 100, 0);
      expect(claimed.filter(isOurs)).to.have.length(1);
      await new Promise((wake) => setTimeout(wake, 5));
    }
    await run();

    expect(await scoresOf(projectId, id)).to.deep.equal([]);
    expect(await logsOf(rule)).to.deep.equal([`ERROR The trace ${id} was given up after 3 tries`]);
    expect(await isEmpty()).to.equal(true);
  });

  it('store a score once, though a process dies between storing it and noting that', async () => {
    const { projectId, rule } = await stage('says');
    const { id } = await logTrace(projectId);
    const real = stores().automationRuns;
    const [ending, held] = [new AbortController(), new Set<string>()];
    const dying = {
      ...storage(),
      stores: {
        ...stores(),
        automationRuns: {
          ...real,
          async claim(holder: string, limit: number, ms: number) {
            const claimed = await real.claim(holder, limit, ms);
            for (const one of claimed) held.add(one.id);
            return claimed;
          },
          finish: () => {
            ending.abort();
            return Promise.reject(new Error('the process died'));
          },
          postpone: () => Promise.reject(new Error('the process died')),
        },
      },
    };
    const needs = needsFor({ storage: dying });

    await runDue(needs, ending.signal);
    expect(await scoresOf(projectId, id)).to.deep.equal(both);
    // The claim runs out.
    for (const one of held) await real.postpone(needs.holder, one, 0, true);
    await run();

    expect(await scoresOf(projectId, id)).to.deep.equal(both);
    expect((await logsOf(rule)).filter((line) => line.includes('were stored'))).to.have.length(1);
    expect(await isEmpty()).to.equal(true);
  });

  it('go on later with what they were at when the process ends', async () => {
    const { projectId } = await stage('silent');
    const { id } = await logTrace(projectId);
    const before = server.asked.length;
    const ending = new AbortController();
    const slow = httpChatModels({
      outgoing: createOutgoing(judgeTargets('127.0.0.1')),
      now: () => Date.now(),
    });
    const running = run({ models: slow }, ending.signal);
    while (server.asked.length === before) await wait(5);

    ending.abort();
    await running;

    const [left] = await stores().automationRuns.claim('next', 1, 60_000);
    expect(left).to.include({ entityId: id, tries: 1 });
    await stores().automationRuns.finish('next', left?.id ?? '');
  });
});
