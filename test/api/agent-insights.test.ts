import { expect } from 'chai';
import { v4, v7 } from 'uuid';
import { freshName } from '#test/contract/storage/builders';
import { privateClient, type Json } from './private-client.js';

const token = 'internal-0123456789abcdef';
const dayMs = 86_400_000;
const issueOf = (given: Json = {}): Json => ({
  ...{ id: v4(), name: 'Timeouts', count: 3, total_count: 10, users_impacted: 1, total_users: 4 },
  ...given,
});
const listOf = (page: Json, member = 'content'): readonly Json[] =>
  (page[member] ?? []) as readonly Json[]; // as every reply has it

describe('agent insights', () => {
  const { ask, read, send, refusal, server } = privateClient({
    ORRERY_INTERNAL_TOKEN: token,
    ORRERY_INSIGHTS_SECONDS: '1',
    ORRERY_INSIGHTS_HOUR: '0',
  });
  const projectOf = async (): Promise<string> => {
    const name = freshName('insights');
    await send('POST', 'projects', { name }, 201);
    const page = await read(`projects?${new URLSearchParams({ name }).toString()}`);
    return String(listOf(page)[0]?.['id']);
  };
  const jobs = 'agent-insights/jobs';
  const issues = 'agent-insights/issues';
  const report = (project_id: string, report_day: string, ...all: readonly Json[]) =>
    send('POST', issues, { project_id, report_day, issues: all });
  const list = (project_id: string, query: Readonly<Record<string, string>> = {}) =>
    read(`${issues}?${new URLSearchParams({ project_id, ...query }).toString()}`);
  const internal = async (
    path: string,
    body?: unknown,
    authorization: string | undefined = `Bearer ${token}`,
  ): Promise<readonly [number, Json]> => {
    const reply = await fetch(`${server().url}/opik/api/v1/internal/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...(authorization === '' ? {} : { Authorization: authorization }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return [reply.status, (await reply.json()) as Json]; // an object, as every reply of this wire
  };
  const eventually = async <T>(look: () => Promise<T | undefined>): Promise<T> => {
    const until = Date.now() + 30_000;
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      if (Date.now() > until) throw new Error('it did not come');
      await new Promise((wake) => setTimeout(wake, 100));
    }
  };

  it('have a job of a project, which is made disabled, and once', async () => {
    const projectId = await projectOf();
    expect((await refusal('GET', `${jobs}/${projectId}`))[0]).to.equal(404);
    expect((await refusal('PATCH', `${jobs}/${projectId}`, { status: 'enabled' }))[0]).to.equal(
      404,
    );
    expect((await refusal('POST', `${jobs}/${projectId}/trigger`))[0]).to.equal(404);

    const { status, text, location } = await ask('POST', `${jobs}/${projectId}`, {});
    expect(status, text).to.equal(201);
    expect(location?.endsWith(`/v1/private/${jobs}/${projectId}`)).to.equal(true);
    const made = JSON.parse(text) as Json; // as the wire has it
    expect(made).to.include({
      ...{ project_id: projectId, status: 'disabled', guidance_version: 0 },
      auto_first_run_enrolled: false,
    });
    expect(made).to.not.have.any.keys('guidance', 'last_scan_at', 'results_guidance_version');
    expect(await read(`${jobs}/${projectId}`)).to.deep.equal(made);
    expect((await refusal('POST', `${jobs}/${projectId}`))[0]).to.equal(409);
    expect((await refusal('POST', `${jobs}/${v7()}`))[0]).to.equal(404);
    expect((await refusal('POST', `${jobs}/no-uuid`))[0]).to.equal(404);
    expect((await refusal('PATCH', `${jobs}/${projectId}`, { status: 'paused' }))[0]).to.equal(400);
    expect((await refusal('PATCH', `${jobs}/${projectId}`, { other: 1 }))[0]).to.equal(422);
    const enabled = await send('PATCH', `${jobs}/${projectId}`, { status: 'enabled' }, 200);
    expect(enabled['status']).to.equal('enabled');
    await send('PATCH', `${jobs}/${projectId}`, { status: 'disabled' }, 200);
  });

  it('keep guidance with its version, in a job that is made where there is none', async () => {
    const projectId = await projectOf();
    const say = (guidance: unknown, expected = 200) =>
      send('PUT', `${jobs}/${projectId}/guidance`, { guidance }, expected);

    expect(await say('Look at costs')).to.include({
      ...{ guidance: 'Look at costs', guidance_version: 1, status: 'disabled' },
    });
    expect((await say('Look at costs'))['guidance_version']).to.equal(1);
    expect((await say('look at costs'))['guidance_version']).to.equal(2);
    const cleared = await say(' \n ');
    expect(cleared['guidance_version']).to.equal(3);
    expect(cleared).to.not.have.property('guidance');
    expect(await read(`${jobs}/${projectId}`)).to.deep.equal(cleared);
    await say('x'.repeat(5000));
    await say('x'.repeat(5001), 422);
    await send('PUT', `${jobs}/${projectId}/guidance`, {}, 422);
    await send('PUT', `${jobs}/${v7()}/guidance`, { guidance: 'x' }, 404);
  });

  it('store a report whole or not at all, day by day, and leave what people decided', async () => {
    const projectId = await projectOf();
    await send('PUT', `${jobs}/${projectId}/guidance`, { guidance: 'x' }, 200);
    const issue = issueOf({
      ...{ description: 'd', cause: 'c', suggested_fix: 's', severity: 'high' },
      ...{ traces_query: 'q', metadata: { n: 1.5, s: 'ä' } },
    });
    const { id: _, ...fresh } = issueOf({ name: 'new', severity: null });
    await report(projectId, '2026-05-01', issue, fresh);
    await report(projectId, '2026-05-03', { ...issue, count: 5 });
    const path = `${issues}/${String(issue['id'])}`;
    await send('PATCH', path, {
      ...{ project_id: projectId, status: 'closed', close_note: '  no use ' },
    });
    await report(projectId, '2026-05-03', { ...issue, count: 6, name: 'Timeouts again' });

    const page = await list(projectId);
    expect(page).to.include({ page: 1, size: 10, total: 2 });
    const [first, second] = listOf(page);
    expect(first).to.deep.include({
      ...{ id: issue['id'], name: 'Timeouts again', status: 'closed', close_note: 'no use' },
      ...{ total_occurrences: 9, latest_count: 6, total: 20, users_impacted: 2, total_users: 8 },
      ...{ first_seen: '2026-05-01', last_seen: '2026-05-03', days_reported: 2 },
      ...{ severity: 'high', traces_query: 'q', suggested_fix: 's' },
    });
    expect(second).to.include({ name: 'new', status: 'open' });
    expect(second).to.not.have.any.keys('severity', 'close_note', 'status_changed_by');
    const whole = await read(`${path}?project_id=${projectId}`);
    expect(whole['details']).to.deep.equal([
      {
        ...{ report_day: '2026-05-01', count: 3, total_count: 10, users_impacted: 1 },
        ...{ total_users: 4, metadata: { n: 1.5, s: 'ä' } },
      },
      {
        ...{ report_day: '2026-05-03', count: 6, total_count: 10, users_impacted: 1 },
        ...{ total_users: 4, metadata: { n: 1.5, s: 'ä' } },
      },
    ]);
    expect(whole).to.not.have.any.keys('total_occurrences', 'days_reported');
    const narrow = `${path}?project_id=${projectId}&from_date=2027-01-01&to_date=2027-01-02`;
    expect((await read(narrow))['details']).to.deep.equal([]);
    expect(await read(`${jobs}/${projectId}`)).to.include({ results_guidance_version: 1 });
    expect(await read(`${jobs}/${projectId}`)).to.have.property('last_scan_at');
    await send('PATCH', path, { project_id: projectId, status: 'resolved', close_note: 'why' });
    expect(await read(`${path}?project_id=${projectId}`)).to.not.have.property('close_note');
    await report(projectId, '2026-05-04');
    expect((await list(projectId))['total']).to.equal(2);
  });

  it('narrow, sort and page lists of issues, as far as the wire allows', async () => {
    const projectId = await projectOf();
    const made = ['low', 'critical', 'high'].map((severity, n) =>
      issueOf({ severity, count: n + 1 }),
    );
    for (const [n, one] of made.entries()) await report(projectId, `2026-05-0${n + 1}`, one);
    const ids = made.map(({ id }) => id);
    const idsOf = async (query: Readonly<Record<string, string>>) =>
      listOf(await list(projectId, query)).map(({ id }) => id);
    const by = (field: string, direction: string) => JSON.stringify([{ field, direction }]);

    expect(await idsOf({})).to.deep.equal([...ids].reverse());
    expect(await idsOf({ sorting: by('severity', 'asc') })).to.deep.equal([ids[1], ids[2], ids[0]]);
    expect(await idsOf({ sorting: by('total_occurrences', 'ASC') })).to.deep.equal(ids);
    expect(await idsOf({ severity: 'high' })).to.deep.equal([ids[2]]);
    expect(await idsOf({ from_date: '2026-05-02', to_date: '2026-05-02' })).to.deep.equal([ids[1]]);
    expect(await list(projectId, { page: '2', size: '2' })).to.include({
      ...{ page: 2, size: 2, total: 3 },
    });
    const refused = async (query: Readonly<Record<string, string>>) =>
      (
        await refusal(
          'GET',
          `${issues}?${new URLSearchParams({ project_id: projectId, ...query }).toString()}`,
        )
      )[0];
    for (const query of [
      { status: 'odd' },
      { severity: 'odd' },
      { size: '101' },
      { size: '0' },
      { page: '0' },
      { from_date: '2026-02-30' },
      { from_date: '2026-05-02', to_date: '2026-05-01' },
      { sorting: by('name', 'ASC') },
      { project_id: 'no-uuid' },
      { project_id: '' },
    ])
      expect(await refused(query), JSON.stringify(query)).to.equal(400);
    expect((await refusal('GET', issues))[0]).to.equal(400);
    expect(await refused({ project_id: v7() })).to.equal(404);
  });

  it('refuse reports and decisions that break a rule, and keep nothing of them', async () => {
    const projectId = await projectOf();
    const id = v4();
    const good = issueOf();
    for (const [body, expected] of [
      [{ report_day: 'today' }, 400],
      [{ report_day: undefined }, 400],
      [{ issues: undefined }, 400],
      [{ issues: [good, issueOf({ name: ' ' })] }, 400],
      [{ issues: [good, issueOf({ name: 'x'.repeat(256) })] }, 400],
      [{ issues: [good, issueOf({ count: -1 })] }, 400],
      [{ issues: [good, issueOf({ count: undefined })] }, 400],
      [{ issues: [good, issueOf({ severity: 'odd' })] }, 400],
      [{ issues: [good, issueOf({ id: 'no-uuid' })] }, 400],
      [{ issues: [good, issueOf({ id }), issueOf({ id: id.toUpperCase() })] }, 400],
      [{ issues: [good, issueOf({ metadata: { long: 'x'.repeat(65_536) } })] }, 400],
      [{ project_id: v7() }, 404],
      [{ project_id: undefined }, 400],
    ] as const) {
      const sent = { project_id: projectId, report_day: '2026-05-01', issues: [good], ...body };
      const [status] = await refusal('POST', issues, sent);
      expect(status, JSON.stringify(body).slice(0, 100)).to.equal(expected);
    }
    expect((await list(projectId))['total']).to.equal(0);
    await report(projectId, '2026-05-01', good);
    const decide = (body: Json, of = String(good['id'])) =>
      refusal('PATCH', `${issues}/${of}`, { project_id: projectId, status: 'closed', ...body });
    expect((await decide({ status: 'odd' }))[0]).to.equal(400);
    expect((await decide({ status: undefined }))[0]).to.equal(422);
    expect((await decide({ project_id: undefined }))[0]).to.equal(422);
    expect((await decide({ close_note: 'x'.repeat(501) }))[0]).to.equal(422);
    expect((await decide({}, v4()))[0]).to.equal(404);
    expect((await decide({ project_id: await projectOf() }))[0]).to.equal(404);
    expect(listOf(await list(projectId))[0]).to.include({ status: 'open' });
    const other = await projectOf();
    expect(
      (await refusal('GET', `${issues}/${String(good['id'])}?project_id=${other}`))[0],
    ).to.equal(404);
  });

  it('look through the last day when they are told to, also where the job is disabled', async () => {
    const projectId = await projectOf();
    await send('POST', `${jobs}/${projectId}`, {}, 201);
    const start_time = new Date(Date.now() - 1000).toISOString();
    const { name } = await read(`projects/${projectId}`);
    for (let n = 0; n < 3; n++)
      await send(
        'POST',
        'traces',
        {
          ...{ project_name: name, name: 'ask', start_time },
          error_info: { exception_type: 'Timeout', traceback: 'none', message: 'late' },
        },
        201,
      );
    const { status, text } = await ask('POST', `${jobs}/${projectId}/trigger`);
    expect([status, text]).to.deep.equal([202, '']);

    const [found] = await eventually(async () => {
      const all = listOf(await list(projectId));
      return all.length > 0 ? all : undefined;
    });
    expect(found).to.include({
      ...{ name: 'Timeout at ask', cause: 'late', total_occurrences: 3, total: 3 },
      ...{ severity: 'critical', status: 'open', created_by: 'system' },
      last_seen: new Date().toISOString().slice(0, 10),
    });
    expect(await read(`${jobs}/${projectId}`)).to.include({ status: 'disabled' });
  });

  it('enrol projects once, with the internal token alone', async () => {
    const [projectId, unknown] = [await projectOf(), v7()];
    const enrol = (enrolled: unknown, project_ids: unknown) =>
      internal('agent-insights/enrollment', { enrolled, project_ids });
    const nothing = {
      ...{ enrolled: 0, cleared: 0, unknown_project_ids: [] },
      ...{ already_run_project_ids: [], reset_project_ids: [] },
    };

    expect(await enrol(true, [projectId, projectId, unknown])).to.deep.equal([
      200,
      { ...nothing, enrolled: 1, unknown_project_ids: [unknown] },
    ]);
    const ran = await eventually(async () => {
      const job = await read(`${jobs}/${projectId}`);
      return job['last_scan_at'] === undefined ? undefined : job;
    });
    expect(ran).to.include({ auto_first_run_enrolled: true, status: 'disabled' });
    expect(ran).to.have.property('auto_first_run_at');
    expect(await enrol(true, [projectId])).to.deep.equal([
      200,
      { ...nothing, already_run_project_ids: [projectId] },
    ]);
    expect(await enrol(false, [projectId, unknown])).to.deep.equal([
      200,
      { ...nothing, cleared: 1 },
    ]);
    expect(await enrol(false, [projectId])).to.deep.equal([200, nothing]);
    expect((await enrol(undefined, [projectId]))[0]).to.equal(422);
    expect((await enrol(true, []))[0]).to.equal(422);
    expect(
      (
        await enrol(
          true,
          Array.from({ length: 501 }, () => v7()),
        )
      )[0],
    ).to.equal(422);
    expect((await enrol(true, ['no-uuid']))[0]).to.equal(400);
    for (const credential of ['', server().apiKey, `Bearer ${server().apiKey}`, `Bearer ${token}x`])
      for (const [path, body] of [
        ['agent-insights/enrollment', { enrolled: false, project_ids: [projectId] }],
        ['usage/projects', { workspace_ids: [v7()] }],
        ['usage/bi-traces', undefined],
        ['usage/workspace-span-counts-breakdown', undefined],
      ] as const)
        expect((await internal(path, body, credential))[0], path).to.equal(401);
  });

  it('look at no body before the internal token', async () => {
    const answered = async (credential: string) =>
      (
        await fetch(`${server().url}/opik/api/v1/internal/usage/projects`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Authorization: credential },
          body: '{"workspace_ids": [',
        })
      ).status;

    expect(await answered('Bearer nobody')).to.equal(401);
    expect(await answered(`Bearer ${token}`)).to.equal(400);
  });

  it('count what was made on the previous day in UTC, also what comes late, for who brings the internal token', async () => {
    const projectId = await projectOf();
    const { name, created_by: user } = await read(`projects/${projectId}`);
    const yesterday = Math.floor(Date.now() / dayMs) * dayMs - dayMs;
    const idAt = (msecs: number) => v7({ msecs });
    const log = (what: 'spans' | 'traces', id: string) =>
      send(
        'POST',
        what,
        {
          ...{ id, project_name: name, name: 'x', start_time: new Date().toISOString() },
          ...(what === 'spans' ? { trace_id: v7() } : {}),
        },
        201,
      );
    const count = async (path: string, member: string) => {
      const [status, body] = await internal(`usage/${path}`);
      expect(status).to.equal(200);
      return listOf(body, member);
    };
    expect(await count('bi-spans', 'bi_information')).to.deep.equal([]);

    for (const at of [yesterday - 1, yesterday, yesterday + dayMs - 1, yesterday + dayMs])
      for (const what of ['spans', 'traces'] as const) await log(what, idAt(at));
    const [{ workspace_id } = { workspace_id: '' }] = await count('bi-traces', 'bi_information');
    for (const kind of ['traces', 'spans'])
      expect(await count(`bi-${kind}`, 'bi_information')).to.deep.equal([
        { workspace_id, user, count: 2 },
      ]);
    expect(await count('workspace-span-counts', 'workspaces_spans_count')).to.deep.equal([
      { workspace: workspace_id, span_count: 2 },
    ]);
    await log('traces', idAt(yesterday + 1000)); // late
    expect(await count('workspace-trace-counts', 'workspaces_traces_count')).to.deep.equal([
      { workspace: workspace_id, trace_count: 3 },
    ]);
    expect(await count('workspace-span-counts-breakdown', 'breakdown')).to.deep.equal([
      { workspace_id, project_id: projectId, project_name: name, user, count: 2 },
    ]);
    await send('POST', 'datasets', { id: idAt(yesterday), name: freshName('d') }, 201);
    expect(await count('bi-datasets', 'bi_information')).to.deep.equal([
      { workspace_id, user, count: 1 },
    ]);
    expect(await count('bi-experiments', 'bi_information')).to.deep.equal([]);

    const find = async (given: Json) => {
      const [status, body] = await internal('usage/projects', {
        ...{ workspace_ids: [workspace_id], ...given },
      });
      return [status, listOf(body, 'projects')] as const;
    };
    const found = { workspace_id, project_id: projectId, name };
    expect(await find({ name: String(name).toUpperCase() })).to.deep.equal([200, [found]]);
    expect(await find({ project_ids: [projectId] })).to.deep.equal([200, [found]]);
    expect((await find({ project_ids: [], limit: 1 }))[1]).to.have.length(1);
    expect(await find({ workspace_ids: [v7()] })).to.deep.equal([200, []]);
    for (const broken of [
      { workspace_ids: [] },
      { workspace_ids: [' '] },
      { limit: 0 },
      { limit: 1001 },
      { name: 'x'.repeat(151) },
    ])
      expect((await find(broken))[0], JSON.stringify(broken)).to.equal(422);
  });
});

describe('agent insights that are switched off', () => {
  const { read, refusal, server } = privateClient({ ORRERY_TOGGLE_AGENT_INSIGHTS: 'off' });

  it('answer 404, their figures 401 without a token, and analytic queries 501 without a body', async () => {
    expect((await refusal('GET', `agent-insights/jobs/${v7()}`))[0]).to.equal(404);
    expect((await refusal('PUT', `agent-insights/jobs/${v7()}/guidance`, {}))[0]).to.equal(404);
    expect(await read('toggles')).to.include({
      ...{ agentInsightsEnabled: false, agentInsightsGuidanceEnabled: false },
      customChartsEnabledForWorkspace: false,
    });
    for (const authorization of ['', 'Bearer ', server().apiKey]) {
      const reply = await fetch(`${server().url}/v1/internal/usage/bi-spans`, {
        headers: { Authorization: authorization },
      });
      expect(reply.status).to.equal(401);
    }
    const query = await fetch(`${server().url}/v1/internal/analytics-queries`, {
      method: 'POST',
      headers: { Authorization: server().apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: "SELECT '1' AS result" }),
    });
    expect([query.status, await query.text()]).to.deep.equal([501, '']);
  });
});
