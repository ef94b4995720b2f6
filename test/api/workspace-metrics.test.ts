// Figures of projects and of workspaces, each held against what the test adds up by itself.
import { expect } from 'chai';
import { v7 } from 'uuid';
import { freshName } from '#test/contract/storage/builders';
import { privateClient, type Json } from './private-client.js';

const day = 24 * 3600 * 1000;
/** A day at midnight, three of which are looked at; the three before it are those of the time before. */
const first = Date.UTC(2026, 4, 4);
const iso = (ms: number) => new Date(ms).toISOString();
const period = { interval_start: iso(first), interval_end: iso(first + 3 * day) };

interface Made {
  readonly project: string;
  readonly at: number;
  readonly ms: number;
  readonly failed: boolean;
  readonly score: number | undefined;
  readonly cost: number;
}
type Row = Readonly<Record<string, unknown>>;
const listOf = (value: unknown): readonly Row[] => value as readonly Row[]; // as every reply here has it
const sum = (all: readonly number[]) => all.reduce((before, one) => before + one, 0);
const mean = (all: readonly number[]) => (all.length === 0 ? null : sum(all) / all.length);

describe('figures of projects and workspaces', () => {
  const { read, send, refusal } = privateClient();
  const projects = [freshName('project'), freshName('project')];
  const ids = new Map<string, string>();
  const made: Made[] = [];
  const idOf = (name = '') => ids.get(name) ?? '';

  before('log traces of seven days to two projects', async () => {
    const traces: Json[] = [];
    const spans: Json[] = [];
    const scores: Json[] = [];
    for (let n = 0; n < 70; n += 1) {
      const project = projects[n % 2] ?? '';
      const at = first - 3 * day + Math.floor(n / 10) * day + (n % 10) * 3_600_000;
      const one: Made = {
        ...{ project, at, ms: 100 + n, failed: n % 7 === 0, cost: (n % 5) / 4 },
        score: n % 3 === 0 ? n / 8 : undefined,
      };
      made.push(one);
      const id = v7({ msecs: at });
      const entry = {
        ...{ project_name: project, start_time: iso(at), end_time: iso(at + one.ms) },
        ...(n % 10 === 0 ? { name: 'named' } : {}),
      };
      traces.push({
        ...{ ...entry, id },
        ...(one.failed ? { error_info: { exception_type: 'E', traceback: 't' } } : {}),
      });
      spans.push({
        ...{ ...entry, id: v7({ msecs: at }), trace_id: id, type: 'llm', model: `m${n % 2}` },
        ...{ total_estimated_cost: one.cost, usage: { [`kind_${n % 3}`]: n } },
      });
      if (one.score !== undefined)
        scores.push({ id, project_name: project, name: 'q', value: one.score, source: 'sdk' });
    }
    await send('POST', 'traces/batch', { traces });
    await send('POST', 'spans/batch', { spans });
    await send('PUT', 'traces/feedback-scores', { scores });
    for (const name of projects)
      ids.set(name, String((await send('POST', 'projects/retrieve', { name }, 200))['id']));
  });

  const within = (from: number, to: number, project?: string) =>
    made.filter(
      (one) => one.at >= from && one.at < to && (project === undefined || one.project === project),
    );
  const now = (project?: string) => within(first, first + 3 * day, project);
  const past = (project?: string) => within(first - 3 * day, first, project);

  const close = (found: unknown, truth: number | null): void => {
    if (truth === null) expect(found).to.equal(null);
    else expect(Number(found)).to.be.closeTo(truth, 1e-9);
  };

  it('tell cards of traces and spans for a span of time and for the one before', async () => {
    const [project] = projects;
    for (const entity_type of ['traces', 'spans']) {
      const { stats } = await send(
        'POST',
        `projects/${idOf(project)}/kpi-cards`,
        { entity_type, ...period },
        200,
      );
      const cards = new Map(listOf(stats).map((card) => [card['type'], card]));
      const truth = (type: string, of: (all: readonly Made[]) => number | null) => {
        close(cards.get(type)?.['current_value'], of(now(project)));
        close(cards.get(type)?.['previous_value'], of(past(project)));
      };
      expect([...cards.keys()]).to.deep.equal(['count', 'errors', 'avg_duration', 'total_cost']);
      truth('count', ({ length }) => length);
      truth('errors', (all) =>
        entity_type === 'spans'
          ? 0
          : (100 * all.filter(({ failed }) => failed).length) / all.length,
      );
      truth('avg_duration', (all) => mean(all.map(({ ms }) => ms)));
      truth('total_cost', (all) => sum(all.map(({ cost }) => cost)));
    }
    const filters = JSON.stringify([{ field: 'name', operator: '=', value: 'named' }]);
    const { stats } = await send(
      'POST',
      `projects/${idOf(project)}/kpi-cards`,
      { entity_type: 'traces', filters, ...period },
      200,
    );
    expect(listOf(stats)[0]).to.deep.equal({ type: 'count', current_value: 3, previous_value: 3 });
    const threads = await send(
      'POST',
      `projects/${idOf(project)}/kpi-cards`,
      { entity_type: 'threads', ...period },
      200,
    );
    expect(listOf(threads['stats'])).to.deep.equal([
      { type: 'count', current_value: 0, previous_value: 0 },
      { type: 'avg_duration', current_value: null, previous_value: null },
      { type: 'total_cost', current_value: 0, previous_value: 0 },
    ]);
  });

  it('sum up scores and costs of a workspace, beside the time before', async () => {
    const scoresOf = (all: readonly Made[]) => all.flatMap(({ score }) => score ?? []);
    for (const project_ids of [undefined, [idOf(projects[1])], [v7()]]) {
      const only = project_ids === undefined ? undefined : projects[1];
      const none = project_ids !== undefined && project_ids[0] !== idOf(projects[1]);
      const scores = await send(
        'POST',
        'workspaces/metrics/summaries',
        { ...period, project_ids },
        200,
      );
      const costs = await send(
        'POST',
        'workspaces/costs/summaries',
        { ...period, project_ids },
        200,
      );
      if (none) {
        expect(scores).to.deep.equal({ results: [] });
        expect(costs).to.deep.equal({ name: 'cost', current: 0, previous: 0 });
        continue;
      }
      const [one, ...others] = listOf(scores['results']);
      expect(others).to.deep.equal([]);
      expect(one?.['name']).to.equal('q');
      close(one?.['current'], mean(scoresOf(now(only))));
      close(one?.['previous'], mean(scoresOf(past(only))));
      expect(costs['name']).to.equal('cost');
      close(costs['current'], sum(now(only).map(({ cost }) => cost)));
      close(costs['previous'], sum(past(only).map(({ cost }) => cost)));
    }
  });

  it('show scores, costs and spans day by day for each project', async () => {
    const series = async (path: string, more: Json = {}) =>
      listOf((await send('POST', `workspaces/${path}`, { ...period, ...more }, 200))['results']);
    const days = [0, 1, 2].map((n) => [first + n * day, first + (n + 1) * day] as const);
    const check = (
      found: readonly Row[],
      name: string,
      of: (all: readonly Made[]) => number | null,
    ) => {
      for (const project of projects) {
        const data = listOf(
          found.find((one) => one['project_id'] === idOf(project) && one['name'] === name)?.[
            'data'
          ],
        );
        expect(data.map(({ time }) => time)).to.deep.equal(
          days.map(([from]) => iso(from).replace('.000Z', '.000000Z')),
        );
        data.forEach(({ value }, at) => {
          const [from, to] = days[at] ?? [0, 0];
          close(value, of(within(from, to, project)));
        });
      }
    };
    const scores = await series('metrics');
    expect(scores).to.have.length(2);
    check(scores, 'q', (all) => mean(all.flatMap(({ score }) => score ?? [])));
    expect(await series('metrics', { name: 'q' })).to.deep.equal(scores);
    expect(await series('metrics', { name: 'other' })).to.deep.equal([]);
    const costs = await series('costs');
    expect(costs).to.have.length(2);
    check(costs, 'cost', (all) => sum(all.map(({ cost }) => cost)));
    check(await series('metrics/spans'), 'spans', ({ length }) => length);
    check(
      await series('metrics/spans', { metric_type: 'SPAN_AVERAGE_DURATION' }),
      'avg_duration',
      (all) => mean(all.map(({ ms }) => ms)),
    );
    const grouped = await series('metrics/spans', {
      ...{ interval: 'TOTAL', breakdown: { field: 'model' }, project_ids: [idOf(projects[0])] },
      filters: [{ field: 'name', operator: '=', value: 'named' }],
    });
    expect(grouped.map(({ name, data }) => [name, listOf(data)[0]?.['value']])).to.deep.equal([
      ['m0', 3],
    ]);
  });

  it('are told with a project that is asked for by its name', async () => {
    for (const name of projects) {
      const page = await read(`projects/stats?name=${encodeURIComponent(name)}`);
      const [figures] = listOf(page['content']);
      const { project_id, ...of } = figures ?? {};
      const found = await send('POST', 'projects/retrieve', { name }, 200);

      expect(found['id']).to.equal(project_id);
      expect(found).to.deep.include(of);
      expect(found['trace_count']).to.equal(made.filter(({ project }) => project === name).length);
      const within = new URLSearchParams({
        ...{ name, from_time: period.interval_start, to_time: iso(first + day) },
      });
      const [some] = listOf((await read(`projects/stats?${String(within)}`))['content']);
      expect(some?.['trace_count']).to.equal(
        made.filter(({ project, at }) => project === name && at >= first && at <= first + day)
          .length,
      );
    }
    const backwards = `from_time=${iso(first + day)}&to_time=${iso(first)}`;
    expect((await refusal('GET', `projects/stats?${backwards}`))[0]).to.equal(400);
    const name = freshName('project');
    await send('POST', 'projects', { name }, 201);
    const empty = await send('POST', 'projects/retrieve', { name }, 200);
    expect(empty).to.include({ trace_count: 0, thread_count: 0, guardrails_failed_count: 0 });
    expect(empty).not.to.have.property('duration');
    for (const body of [{}, { name: null }, { name: ' ' }])
      expect((await refusal('POST', 'projects/retrieve', body))[0]).to.equal(422);
    await send('POST', 'projects/delete', { ids: [empty['id'], v7()] });
    expect((await refusal('POST', 'projects/retrieve', { name }))[0]).to.equal(404);
  });

  it('of spans are told of a workspace with many projects', async () => {
    for (let at = 0; at < 120; at++)
      await send('POST', 'projects', { name: freshName('one of many') }, 201);

    const { results } = await send('POST', 'workspaces/metrics/spans', period, 200);

    expect(new Set(listOf(results).map(({ project_id }) => project_id))).to.include(
      idOf(projects[0]),
    );
  });

  it('name scores, and counts of the usage of spans', async () => {
    await send('PUT', `spans/feedback-scores`, {
      scores: [{ id: v7(), project_name: projects[0], name: 'ofSpan', value: 1, source: 'sdk' }],
    });
    const scores = async (of?: readonly string[]) =>
      listOf(
        (
          await read(
            `projects/feedback-scores/names${of === undefined ? '' : `?project_ids=${encodeURIComponent(JSON.stringify(of))}`}`,
          )
        )['scores'],
      ).map(({ name }) => name);
    expect(await scores()).to.deep.equal(['ofSpan', 'q']);
    expect(await scores([idOf(projects[0])])).to.deep.equal(['ofSpan', 'q']);
    expect(await scores([idOf(projects[1])])).to.deep.equal(['q']);
    expect(await scores([v7()])).to.deep.equal([]);

    const names = ['kind_0', 'kind_1', 'kind_2'];
    expect(await read(`projects/${idOf(projects[0])}/token-usage/names`)).to.deep.equal({ names });
    expect(await send('POST', 'workspaces/token-usage/names', {}, 200)).to.deep.equal({ names });
    expect(
      await send('POST', 'workspaces/token-usage/names', { project_ids: [v7()] }, 200),
    ).to.deep.equal({ names: [] });
  });

  it('refuse times that end before they begin, and metrics that are none of spans', async () => {
    const backwards = { interval_start: period.interval_end, interval_end: period.interval_start };
    for (const path of [
      ...['workspaces/metrics', 'workspaces/metrics/summaries', 'workspaces/metrics/spans'],
      ...['workspaces/costs', 'workspaces/costs/summaries'],
    ])
      expect((await refusal('POST', path, backwards))[0]).to.equal(422);
    const cards = { entity_type: 'traces', ...backwards };
    expect((await refusal('POST', `projects/${idOf(projects[0])}/kpi-cards`, cards))[0]).to.equal(
      422,
    );
    for (const breakdown of [{ field: 'model' }, { field: 'metadata' }]) {
      const sent = { metric_type: 'TRACE_COUNT', interval: 'DAILY', ...period, breakdown };
      expect((await refusal('POST', `projects/${idOf(projects[0])}/metrics`, sent))[0]).to.equal(
        422,
      );
    }
    const series = { metric_type: 'TRACE_COUNT', interval: 'DAILY', ...backwards };
    expect((await refusal('POST', `projects/${idOf(projects[0])}/metrics`, series))[0]).to.equal(
      400,
    );
    expect(
      await refusal('POST', 'workspaces/metrics/spans', { ...period, metric_type: 'COST' }),
    ).to.deep.equal([400, 'metric_type COST is not one of spans']);
    const long = { interval_start: '0001-01-01T00:00:00Z', interval_end: period.interval_end };
    expect((await refusal('POST', 'workspaces/costs', long))[0]).to.equal(400);
    expect((await refusal('GET', 'projects/feedback-scores/names?project_ids=x'))[0]).to.equal(400);
  });

  it('tell the newest that was made in a project, and what the caller may do', async () => {
    const [project_name] = projects;
    const dataset_name = freshName('dataset');
    await send('POST', 'datasets', { name: dataset_name, project_name }, 201);
    await send('PUT', 'datasets/items', {
      ...{ dataset_name, project_name },
      items: [{ id: v7(), source: 'sdk', data: { n: 1 } }],
    });
    const experiment = v7();
    await send(
      'POST',
      'experiments',
      { id: experiment, dataset_name, project_name, name: 'e' },
      201,
    );

    const page = await read(`projects/${idOf(project_name)}/activities?size=1`);
    expect(page).to.include({ page: 1, size: 1, total: 2 });
    expect(listOf(page['content'])[0]).to.include({
      type: 'experiment',
      id: experiment,
      name: 'e',
    });
    const rest = await read(`projects/${idOf(project_name)}/activities?size=1&page=2`);
    expect(listOf(rest['content'])[0]).to.include({ type: 'dataset_version', name: dataset_name });

    const may = await read('workspace-permissions');
    const values = new Map(
      listOf(may['permissions']).map((one) => [one['permissionName'], one['permissionValue']]),
    );
    expect(may).to.have.all.keys(
      ...['userName', 'user_name', 'workspaceName', 'workspace_name', 'permissions'],
    );
    expect(may['user_name']).to.equal(may['userName']);
    for (const one of listOf(may['permissions']))
      expect([one['permission_name'], one['permission_value']]).to.deep.equal([
        ...[one['permissionName'], one['permissionValue']],
      ]);
    expect([values.get('trace_delete'), values.get('invite_users_to_workspace')]).to.deep.equal([
      'true',
      'true',
    ]);
  });
});
