import { expect } from 'chai';
import { v4, v7 } from 'uuid';
import { freshName } from '#test/contract/storage/builders';
import { privateClient, type Json } from './private-client.js';

const rowsOf = (page: Json): readonly Json[] => (page['content'] ?? []) as readonly Json[]; // as every page has it

describe('optimizations', () => {
  const { read, send, refusal } = privateClient();

  it('are stored, told what their trials came to, changed and deleted', async () => {
    const [id, dataset_name] = [v7(), freshName('dataset')];
    const sent = {
      id,
      dataset_name,
      name: 'search',
      objective_name: 'accuracy',
      status: 'running',
      metadata: { k: [1] },
    };
    await send('POST', 'optimizations', sent, 201);
    await send('PUT', 'optimizations', { ...sent, name: 'renamed' }, 201);
    for (const value of [0.5, 0.75, 0.25])
      await send(
        'POST',
        'experiments',
        {
          id: v7(),
          dataset_name,
          optimization_id: id,
          type: 'trial',
          experiment_scores: [{ name: 'accuracy', value }],
        },
        201,
      );
    const shown = await read(`optimizations/${id}`);

    expect(shown).to.deep.include({
      name: 'renamed',
      dataset_name,
      objective_name: 'accuracy',
      status: 'running',
      metadata: { k: [1] },
      num_trials: 3,
      experiment_scores: [{ name: 'accuracy', value: 0.5 }],
      baseline_objective_score: 0.5,
      best_objective_score: 0.75,
    });
    expect(rowsOf(await read(`optimizations?dataset_name=${dataset_name}`))).to.deep.equal([shown]);
    await send('PUT', `optimizations/${id}`, { status: 'completed' });
    expect(await read(`optimizations/${id}`)).to.include({ name: 'renamed', status: 'completed' });
    const error_info = { exception_type: 'E', message: 'm', traceback: 'at 1' };
    await send('PUT', `optimizations/${id}`, { status: 'error', metadata: { k: 2 }, error_info });
    expect(await read(`optimizations/${id}`)).to.deep.include({
      ...{ name: 'renamed', status: 'error', metadata: { k: 2 } },
      error_info,
    });
    expect(await read(`datasets?name=${dataset_name}&with_optimizations_only=true`)).to.include({
      total: 1,
    });
    expect((await refusal('POST', 'optimizations', { ...sent, id: v4() }))[0]).to.equal(400);
    expect((await refusal('POST', 'optimizations', { ...sent, status: 'lost' }))[0]).to.equal(400);
    expect(await read(`optimizations/studio/${id}/logs`)).to.deep.equal({});
    expect((await refusal('GET', `optimizations/studio/${id}/cancel`))[0]).to.equal(501);
    for (const of of ['logs', 'cancel'])
      expect((await refusal('GET', `optimizations/studio/${v7()}/${of}`))[0]).to.equal(404);
    await send('POST', 'optimizations/delete', { ids: [id, v7()] });
    expect((await refusal('GET', `optimizations/${id}`))[0]).to.equal(404);
  });
});
