// The graph of a model as layers, of each form in which it is logged.
import { expect } from 'chai';
import { readLayers } from '#plugins/web-ui/pure/model-graph';

const dense = (name: string, inbound_nodes?: unknown) => ({
  class_name: 'Dense',
  config: { name, units: 4, trainable: true, kernel_size: [3, 3], kernel: { class_name: 'Zeros' } },
  ...(inbound_nodes === undefined ? {} : { inbound_nodes }),
});

describe('the graph of a model of the web UI without a browser', () => {
  it('tells of each layer what it comes after and what it was made with', () => {
    const layers = readLayers(
      JSON.stringify({
        config: {
          layers: [dense('a', []), dense('b', [[['a', 0, 0, {}]]]), dense('c', [[['a'], ['b']]])],
        },
      }),
    );
    expect(layers?.map(({ name, after }) => [name, ...after])).to.deep.equal([
      ['a'],
      ['b', 'a'],
      ['c', 'a', 'b'],
    ]);
    expect(layers?.[0]).to.deep.include({ kind: 'Dense', made: 'units 4, kernel size 3 × 3' });
  });

  it('finds inputs that are nested as newer releases nest them', () => {
    const history = { config: { keras_history: ['a', 0, 0] }, class_name: '__keras_tensor__' };
    const layers = readLayers(
      JSON.stringify({
        config: { layers: [dense('a', []), dense('b', [{ args: [history], kwargs: {} }])] },
      }),
    );
    expect(layers?.[1]?.after).to.deep.equal(['a']);
  });

  it('has layers of a sequence one after another', () => {
    for (const config of [[dense('a'), dense('b')], { layers: [dense('a'), dense('b')] }])
      expect(
        readLayers(JSON.stringify({ class_name: 'Sequential', config }))?.map(({ after }) => after),
      ).to.deep.equal([[], ['a']]);
  });

  it('is a text where it is no such JSON', () => {
    for (const text of [
      'Net(\n  (0): Linear()\n)',
      '{}',
      '[1]',
      'null',
      '{"config": {"layers": 3}}',
    ])
      expect(readLayers(text)).to.equal(undefined);
  });
});
