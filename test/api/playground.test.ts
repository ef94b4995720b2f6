// Prompts that run over datasets, and datasets that a model extends, over a server of models.
import { expect } from 'chai';
import { setTimeout as pause } from 'node:timers/promises';
import { v7 } from 'uuid';
import { startModelServer, type ModelServer } from '#test/clients/model-server';
import { neverStored } from '#test/clients/secrets';
import { freshName } from './fresh.js';
import { privateClient, type Json } from './private-client.js';

const secret = neverStored('sk-playground-0123456789ab');

describe('the playground', () => {
  const { ask, read, send, refusal } = privateClient({
    ORRERY_ALLOW_PRIVATE_TARGETS: '127.0.0.1',
  });
  let models: ModelServer;
  before(async () => {
    models = await startModelServer();
    await send(
      'POST',
      'llm-provider-key',
      { provider: 'openai', api_key: secret, base_url: models.baseUrl('openai') },
      201,
    );
  });
  after(() => models?.stop());

  const dataset = async (
    count: number,
  ): Promise<{ readonly id: string; readonly name: string }> => {
    const [id, name] = [v7(), freshName('cities')];
    await send('POST', 'datasets', { id, name }, 201);
    const items = Array.from({ length: count }, (_, at) => ({
      source: 'sdk',
      data: { city: `Bern ${at}`, place: { country: 'CH' }, n: at },
    }));
    if (count > 0)
      await send('PUT', 'datasets/items', { dataset_id: id, dataset_name: name, items }, 204);
    return { id, name };
  };
  const prompt = (more: Json = {}): Json => ({
    model: 'openai/script-says',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'How is {{city}} in {{place.country}}, {{ n }} and {{absent}}?' },
    ],
    configs: { temperature: 0.25, topP: 0.5, maxCompletionTokens: 9, other: 1 },
    ...more,
  });
  const run = async (
    body: Json,
  ): Promise<{ readonly ids: readonly string[]; readonly total: unknown }> => {
    const { status, text } = await ask('POST', 'experiments/execute', body);
    expect(status, text).to.equal(202);
    const { experiments, total_items: total } = JSON.parse(text) as {
      readonly experiments: readonly {
        readonly experiment_id: string;
        readonly prompt_index: number;
      }[];
      readonly total_items: number;
    }; // as the row has it
    expect(experiments.map((one) => one.prompt_index)).to.deep.equal(experiments.map((_, i) => i));
    return { ids: experiments.map((one) => one.experiment_id), total };
  };
  const finished = async (id: string): Promise<Json> => {
    for (let tries = 0; tries < 300; tries++) {
      const found = await read(`experiments/${id}`);
      if (found['status'] !== 'running') return found;
      await pause(50);
    }
    throw new Error(`experiment ${id} did not finish`);
  };
  const itemsOf = async (datasetId: string, ids: readonly string[]): Promise<readonly Json[]> => {
    const experiments = encodeURIComponent(JSON.stringify(ids));
    const { content } = await read(
      `datasets/${datasetId}/items/experiments/items?experiment_ids=${experiments}&size=100&truncate=false`,
    );
    return content as readonly Json[]; // as every page has it
  };

  it('runs each prompt over every item, and stores what the model says with its trace and cost', async () => {
    const { id, name } = await dataset(20);
    const before = models.asked().length;
    const { ids, total } = await run({
      dataset_id: id,
      dataset_name: name,
      prompts: [prompt(), prompt({ experiment_name: 'second', model: 'openai/script-long' })],
    });

    expect(total).to.equal(20);
    const [first, second] = await Promise.all(ids.map(finished));
    expect(first).to.deep.include({ status: 'completed', dataset_id: id, trace_count: 20 });
    expect(second).to.deep.include({ status: 'completed', name: 'second', trace_count: 20 });
    expect((first?.['metadata'] as Json)['model']).to.equal('openai/script-says');
    const compared = await itemsOf(id, ids);
    expect(compared).to.have.length(20);
    for (const item of compared) {
      const { city, n } = item['data'] as Json;
      const answers = item['experiment_items'] as readonly Json[];
      expect(answers).to.have.length(2);
      const own = answers.find((one) => one['experiment_id'] === ids[0]);
      expect(JSON.stringify(own?.['input'])).to.contain(
        `How is ${String(city)} in CH, ${String(n)} and {{absent}}?`,
      );
      expect((own?.['output'] as Json)['output'])
        .to.be.a('string')
        .with.length.greaterThan(3);
    }
    expect(models.asked().length - before).to.equal(40);
    const asked = models.asked().at(-1)?.body;
    expect(asked).to.deep.include({ temperature: 0.25, top_p: 0.5, max_completion_tokens: 9 });
    expect(asked).not.to.have.property('other');

    const traceId = String((compared[0]?.['experiment_items'] as readonly Json[])[0]?.['trace_id']);
    const trace = await read(`traces/${traceId}`);
    expect(trace).to.deep.include({ name: 'chat_completion', source: 'playground' });
    const { content } = await read(
      `spans?trace_id=${traceId}&project_id=${String(trace['project_id'])}`,
    );
    const [span] = content as readonly Json[];
    expect(span).to.deep.include({ type: 'llm', provider: 'openai', trace_id: traceId });
    expect((span?.['usage'] as Json)['total_tokens']).to.be.greaterThan(0);
  });

  it('runs over the items that a version and filters choose, into the project that is named', async () => {
    const { id, name } = await dataset(3);
    const { content } = await read(`datasets/${id}/versions`);
    const [version] = content as readonly Json[];
    await send(
      'PUT',
      'datasets/items',
      { dataset_id: id, dataset_name: name, items: [{ source: 'sdk', data: { city: 'late' } }] },
      204,
    );
    const project = freshName('tries');
    const of = { dataset_id: id, prompts: [prompt()], project_name: project };
    const { ids: old, total } = await run({ ...of, version_hash: version?.['version_hash'] });
    const filters = JSON.stringify([
      { field: 'data', key: 'n', operator: '=', value: '1', type: 'dictionary' },
    ]);
    const { ids: some, total: chosen } = await run({ ...of, filters });

    expect([total, chosen].every((count) => typeof count === 'number')).to.equal(true);
    expect(chosen).to.equal(1);
    const [one] = await Promise.all([finished(some[0] ?? ''), finished(old[0] ?? '')]);
    expect(one).to.deep.include({ project_name: project, trace_count: 1 });
    const [item] = await itemsOf(id, some);
    expect(item?.['data']).to.deep.include({ n: 1 });
  });

  it('stores what the model refused as an error of its item, and ends', async () => {
    const { id } = await dataset(2);
    const { ids } = await run({
      dataset_id: id,
      prompts: [prompt({ model: 'openai/script-refuses' })],
    });

    expect(await finished(ids[0] ?? '')).to.deep.include({ status: 'completed', trace_count: 2 });
    const [item] = await itemsOf(id, ids);
    const [answer] = item?.['experiment_items'] as readonly Json[];
    const trace = await read(`traces/${String(answer?.['trace_id'])}`);
    expect((trace['error_info'] as Json)['exception_type']).to.equal('ModelError');
    expect(JSON.stringify(trace)).not.to.contain(secret);
  });

  it('has the rules that are named score the answers', async () => {
    const { id } = await dataset(1);
    const name = freshName('judged');
    const { location } = await ask('POST', 'projects', { name });
    const projectId = location?.split('/').at(-1) ?? '';
    const rule = async (more: Json) => {
      const made = await ask('POST', 'automations/evaluators', {
        ...{ type: 'llm_as_judge', action: 'evaluator', name: freshName('rule') },
        ...{ project_ids: [projectId], enabled: false },
        code: {
          model: { name: 'openai/script-says' },
          messages: [{ role: 'USER', content: 'Judge {{answer}}' }],
          variables: { answer: 'output' },
          schema: [{ name: 'Quality', type: 'DOUBLE', description: 'how good' }],
        },
        ...more,
      });
      return made.location?.split('/').at(-1) ?? '';
    };
    const ruleId = await rule({});
    const of = { dataset_id: id, prompts: [prompt()], project_name: name };
    await finished((await run({ ...of, selected_rule_ids: [ruleId] })).ids[0] ?? '');

    const lines = async () => {
      const { content } = await read(`automations/evaluators/${ruleId}/logs`);
      return (content as readonly Json[]).map(({ message }) => String(message)).join(); // as the row has it
    };
    for (let tries = 0; tries < 200 && !(await lines()).includes('answered'); tries++)
      await pause(50);
    expect(await lines()).to.contain('sent the trace');
    const elsewhere = { ...of, project_name: freshName('other'), selected_rule_ids: [ruleId] };
    expect((await refusal('POST', 'experiments/execute', elsewhere))[0]).to.equal(404);
  });

  it('ends at once where there are no items, and stops for an experiment that is cancelled', async () => {
    const { id } = await dataset(0);
    const { ids, total } = await run({ dataset_id: id, prompts: [prompt()] });
    expect([total, (await read(`experiments/${ids[0]}`))['status']]).to.deep.equal([
      0,
      'completed',
    ]);

    const { id: many } = await dataset(400);
    const { ids: long } = await run({ dataset_id: many, prompts: [prompt()] });
    await send('PUT', 'experiments/cancel', { ids: long }, 204);
    const count = async () => Number((await read(`experiments/${long[0]}`))['trace_count']);
    let [last, now] = [-1, await count()];
    while (last !== now) {
      await pause(500);
      [last, now] = [now, await count()];
    }
    expect(now).to.be.lessThan(400);
    expect((await read(`experiments/${long[0]}`))['status']).to.equal('cancelled');
  });

  it('is refused before anything is made', async () => {
    const { id, name } = await dataset(1);
    const good = { dataset_id: id, dataset_name: name, prompts: [prompt()] };
    for (const [status, body] of [
      [404, { ...good, dataset_id: v7() }],
      [404, { ...good, version_hash: 'none' }],
      [404, { ...good, dataset_version_id: v7() }],
      [400, { ...good, dataset_name: 'another' }],
      [400, { ...good, dataset_version_id: 'x' }],
      [400, { ...good, selected_rule_ids: ['x'] }],
      [400, { ...good, filters: '[{"field":"nothing","operator":"=","value":"x"}]' }],
      [400, { ...good, prompts: [prompt(), prompt({ model: 'anthropic/claude' })] }],
      [400, { ...good, prompts: [prompt({ model: 'no such model' })] }],
      [409, { ...good, prompt_versions: [{ id: v7() }] }],
      [413, { ...good, prompts: [prompt({ configs: { text: 'x'.repeat(1_000_001) } })] }],
      [422, { ...good, prompts: [] }],
      [422, { ...good, prompts: [prompt({ messages: [] })] }],
      [422, { ...good, prompts: [prompt({ model: ' ' })] }],
    ] as const)
      expect(
        (await refusal('POST', 'experiments/execute', body))[0],
        JSON.stringify(body),
      ).to.equal(status);
    expect((await read(`experiments?datasetId=${id}`))['total']).to.equal(0);
  });

  it('has a model write further items, which are not stored', async () => {
    const { id } = await dataset(2);
    const { status, text } = await ask('POST', `datasets/${id}/expansions`, {
      model: 'openai/script-items',
      sample_count: 2,
      preserve_fields: ['city'],
      variation_instructions: 'only capitals',
    });
    expect(status, text).to.equal(200);
    const reply = JSON.parse(text) as Json;
    expect(reply).to.deep.include({ model: 'openai/script-items', total_generated: 2 });
    expect((reply['generated_samples'] as readonly Json[]).map((one) => one['data'])).to.deep.equal(
      [{ city: 'Rome' }, { city: 'Oslo' }],
    );
    const asked = JSON.stringify(models.asked().at(-1)?.body);
    for (const word of ['Bern 1', 'only capitals', 'city', 'Write 2 new items'])
      expect(asked).to.contain(word);
    expect((await read(`datasets/${id}/items`))['total']).to.equal(2);
    for (const [wanted, body] of [
      [502, { model: 'openai/script-says' }],
      [400, { model: 'openai/script-refuses' }],
      [400, { model: 'nobody’s' }],
      [422, { model: 'openai/script-items', sample_count: 201 }],
      [422, { model: 'openai/script-items', sample_count: 0 }],
    ] as const)
      expect(
        (await refusal('POST', `datasets/${id}/expansions`, body))[0],
        JSON.stringify(body),
      ).to.equal(wanted);
    expect(
      (
        await refusal('POST', `datasets/${(await dataset(0)).id}/expansions`, {
          model: 'openai/script-items',
        })
      )[0],
    ).to.equal(400);
    expect(
      (await refusal('POST', `datasets/${v7()}/expansions`, { model: 'openai/script-items' }))[0],
    ).to.equal(404);
  });
});
