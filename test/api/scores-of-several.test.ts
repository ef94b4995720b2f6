// Two people score the same thing under one name: their mean is its value, and each one's own stays readable.
import { expect } from 'chai';
import { v7 } from 'uuid';
import { neverStored } from '#test/clients/secrets';
import { openBeside } from '#test/clients/server';
import { freshName } from '#test/contract/storage/builders';
import { privateClient, type Json } from './private-client.js';

const rowsOf = (page: Json): readonly Json[] => (page['content'] ?? []) as readonly Json[]; // as every page has it
const scoresOf = (one: Json | undefined): readonly Json[] =>
  (one?.['feedback_scores'] ?? []) as readonly Json[]; // as every shown thing has them

describe('scores of several people', () => {
  const { read, send, lines, server } = privateClient();
  const name = 'Quality';
  const mean = 0.5;
  const own = { category_name: 'poor', reason: 'too long', source: 'sdk' };
  const others = { category_name: 'good', reason: 'precise', source: 'ui' };
  let owner = '';
  let other: { readonly name: string; readonly key: string };
  before(async () => {
    const { auth, storage, close } = await openBeside(server());
    try {
      const added = await auth.addUser({ name: freshName('annotator') });
      const workspace = await storage.stores.workspaces.findByName(server().workspace);
      await storage.stores.members.setRole(workspace?.id ?? '', added.user.id, 'member', []);
      other = { name: added.user.name, key: neverStored(added.apiKey) };
    } finally {
      await close();
    }
    owner = (await project()).created_by;
  });

  const sendAsOther = async (method: string, path: string, body: unknown) => {
    const reply = await fetch(`${server().url}/api/v1/private/${path}`, {
      method,
      headers: {
        authorization: other.key,
        'comet-workspace': server().workspace,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
    expect(reply.status, await reply.text()).to.equal(204);
  };
  /** Scores by both people, 0.25 and 0.75. */
  const scoreTwice = async (method: string, path: string, body: (score: Json) => unknown) => {
    await send(method, path, body({ name, value: 0.25, ...own }));
    await sendAsOther(method, path, body({ name, value: 0.75, ...others }));
  };
  const expectBoth = (shown: Json | undefined) => {
    const [score, ...more] = scoresOf(shown);
    expect(more).to.deep.equal([]);
    expect(score).to.include({ name, value: mean });
    const byAuthor = score?.['value_by_author'] as Readonly<Record<string, Json>>; // as the wire has it
    expect(byAuthor).to.have.all.keys(owner, other.name);
    expect(byAuthor[owner]).to.include({ value: 0.25, ...own });
    expect(byAuthor[other.name]).to.include({ value: 0.75, ...others });
  };
  const filtered = (operator: string, value: string) =>
    encodeURIComponent(JSON.stringify([{ field: 'feedback_scores', key: name, operator, value }]));
  const project = async () => {
    const of = freshName('project');
    await send('POST', 'projects', { name: of }, 201);
    const { id, created_by } = await send('POST', 'projects/retrieve', { name: of }, 200);
    return { id: String(id), name: of, created_by: String(created_by) };
  };
  const traceOf = (of: { readonly name: string }, more: Json = {}) => ({
    id: v7(),
    project_name: of.name,
    name: 'call',
    start_time: new Date().toISOString(),
    ...more,
  });
  const seriesOf = async (projectId: string, metric_type: string) => {
    const { results } = await send(
      'POST',
      `projects/${projectId}/metrics`,
      {
        metric_type,
        interval: 'DAILY',
        interval_start: new Date(Date.now() - 3_600_000).toISOString(),
        interval_end: new Date(Date.now() + 3_600_000).toISOString(),
      },
      200,
    );
    const [series] = results as readonly {
      readonly name: string;
      readonly data: readonly Json[];
    }[]; // as the wire has it
    expect(series?.name).to.equal(name);
    return (series?.data ?? []).map(({ value }) => value).filter((value) => value !== null);
  };

  for (const kind of ['traces', 'spans'] as const)
    it(`are a mean of ${kind}, which filters and figures take, and each is deleted alone`, async () => {
      const of = await project();
      const [first, second, third] = [traceOf(of), traceOf(of), traceOf(of)];
      const made = [first, second, third].map((one) =>
        kind === 'spans' ? { ...one, trace_id: v7(), type: 'general' } : one,
      );
      await send('POST', `${kind}/batch`, { [kind]: made });
      await scoreTwice('PUT', `${kind}/${first.id}/feedback-scores`, (score) => score);
      await send('PUT', `${kind}/${second.id}/feedback-scores`, {
        name,
        value: 0.9,
        source: 'sdk',
      });

      expectBoth(await read(`${kind}/${first.id}`));
      const list = async (filters: string) =>
        rowsOf(await read(`${kind}?project_id=${of.id}&filters=${filters}`)).map(({ id }) => id);
      expect(await list(filtered('=', String(mean)))).to.deep.equal([first.id]);
      expect(await list(filtered('is_not_empty', ''))).to.have.members([first.id, second.id]);
      expect(await list(filtered('is_empty', ''))).to.deep.equal([third.id]);
      const { stats } = await read(`${kind}/stats?project_id=${of.id}`);
      const figure = (stats as readonly Json[]).find(
        (one) => one['name'] === `feedback_scores.${name}`,
      );
      expect(figure).to.include({ value: 0.7 });
      const metric = kind === 'traces' ? 'FEEDBACK_SCORES' : 'SPAN_FEEDBACK_SCORES';
      expect(await seriesOf(of.id, metric)).to.deep.equal([0.7]);

      await send('POST', `${kind}/${first.id}/feedback-scores/delete`, {
        name,
        author: other.name,
      });
      const [left] = scoresOf(await read(`${kind}/${first.id}`));
      expect(left).to.include({ value: 0.25 });
      expect(left?.['value_by_author']).to.have.all.keys(owner);
    });

  it('are a mean of threads, which filters and figures take, and each is deleted alone', async () => {
    const of = await project();
    const [first, second] = ['first', 'second'];
    const traces = [first, first, second].map((thread_id) => traceOf(of, { thread_id }));
    await send('POST', 'traces/batch', { traces });
    const scored = (thread_id: string) => (score: Json) => ({
      scores: [{ ...score, thread_id, project_name: of.name }],
    });
    const path = 'traces/threads/feedback-scores';
    await scoreTwice('PUT', path, scored(first));
    await send('PUT', path, scored(second)({ name, value: 0.9, source: 'sdk' }));

    const list = async (filters: string) =>
      rowsOf(await read(`traces/threads?project_id=${of.id}&filters=${filters}`));
    const [equal, ...more] = await list(filtered('=', String(mean)));
    expect([equal?.['id'], more]).to.deep.equal([first, []]);
    expectBoth(equal);
    expect(await list(filtered('is_not_empty', ''))).to.have.length(2);
    expect(await seriesOf(of.id, 'THREAD_FEEDBACK_SCORES')).to.deep.equal([0.7]);

    await send('POST', `${path}/delete`, {
      project_name: of.name,
      thread_id: first,
      names: [name],
      author: other.name,
    });
    const [left] = await list(filtered('=', '0.25'));
    expect(scoresOf(left)[0]?.['value_by_author']).to.have.all.keys(owner);
  });

  it('are a mean of experiments, their items and optimizations', async () => {
    const of = await project();
    const [traceId, itemId, experimentId, optimizationId] = [v7(), v7(), v7(), v7()];
    const dataset = { id: v7(), name: freshName('dataset') };
    await send('POST', 'datasets', dataset, 201);
    const items = [{ id: itemId, source: 'sdk', data: { q: 1 } }];
    await send('PUT', 'datasets/items', { dataset_id: dataset.id, items });
    await send(
      'POST',
      'optimizations',
      { id: optimizationId, dataset_name: dataset.name, objective_name: name, status: 'running' },
      201,
    );
    const experiment = { id: experimentId, name: freshName('experiment') };
    await send(
      'POST',
      'experiments',
      {
        ...experiment,
        dataset_name: dataset.name,
        type: 'trial',
        optimization_id: optimizationId,
      },
      201,
    );
    await send('POST', 'traces/batch', { traces: [traceOf(of, { id: traceId })] });
    await send('POST', 'experiments/items', {
      experiment_items: [
        { id: v7(), experiment_id: experimentId, dataset_item_id: itemId, trace_id: traceId },
      ],
    });
    await scoreTwice('PUT', 'traces/feedback-scores', (score) => ({
      scores: [{ ...score, id: traceId, project_name: of.name }],
    }));

    const ids = encodeURIComponent(JSON.stringify([experimentId]));
    const compared = await read(
      `datasets/${dataset.id}/items/experiments/items?experiment_ids=${ids}`,
    );
    const [item] = rowsOf(compared);
    expectBoth((item?.['experiment_items'] as readonly Json[])[0]);
    const [streamed] = await lines('experiments/items/stream', {
      experiment_name: experiment.name,
    });
    expectBoth(streamed);
    for (const [found] of [
      rowsOf(
        await read(`experiments?types=${encodeURIComponent('["trial"]')}&name=${experiment.name}`),
      ),
      await lines('experiments/stream', { name: experiment.name }),
      [await read(`optimizations/${optimizationId}`)],
      rowsOf(await read(`optimizations?dataset_id=${dataset.id}`)),
    ])
      expect(scoresOf(found)).to.deep.equal([{ name, value: mean }]);
  });
});
