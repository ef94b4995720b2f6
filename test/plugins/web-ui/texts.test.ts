// Texts that people and programs wrote, as they are shown: notes, output, what lies where in a picture.
import { expect } from 'chai';
import fc from 'fast-check';
import { chosenShapes, readNames, readShapes, writeNames } from '#plugins/web-ui/pure/annotations';
import { inksOf, readEmbeddings, readLabels, usualColumn } from '#plugins/web-ui/pure/embeddings';
import { blocksOf, inlinesOf, type Block, type Inline } from '#plugins/web-ui/pure/markdown';
import { terminalLine } from '#plugins/web-ui/pure/terminal';

const wordsOf = (all: readonly Inline[]): string =>
  all.map((one) => ('text' in one ? one.text : wordsOf(one.inside))).join('');
const linksIn = (all: readonly Inline[]): readonly string[] =>
  all.flatMap((one) =>
    'text' in one ? [] : [...(one.kind === 'link' ? [one.to] : []), ...linksIn(one.inside)],
  );
const inlinesIn = (blocks: readonly Block[]): readonly Inline[] =>
  blocks.flatMap((one) => {
    if (one.kind === 'list') return one.items.flatMap(inlinesIn);
    if (one.kind === 'quote') return inlinesIn(one.blocks);
    if (one.kind === 'table') return one.rows.flat(2);
    return 'inside' in one ? one.inside : [];
  });

describe('texts in the web UI', () => {
  it('reads the blocks of notes', () => {
    const blocks = blocksOf(
      '# Why\n\nA **warm-up** and `mixup`.\n\n- one\n- two\n  more\n\n1. first\n\n> said\n\n```\nx = 1\n```\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n---',
    );
    expect(blocks.map(({ kind }) => kind)).to.deep.equal([
      'heading',
      'paragraph',
      'list',
      'list',
      'quote',
      'code',
      'table',
      'rule',
    ]);
    expect(blocks[1]).to.deep.equal({
      kind: 'paragraph',
      inside: [
        { kind: 'text', text: 'A ' },
        { kind: 'strong', inside: [{ kind: 'text', text: 'warm-up' }] },
        { kind: 'text', text: ' and ' },
        { kind: 'code', text: 'mixup' },
        { kind: 'text', text: '.' },
      ],
    });
    expect(blocks[2]).to.deep.include({ ordered: false });
    expect(blocks[3]).to.deep.include({ ordered: true });
    expect(blocks[5]).to.deep.equal({ kind: 'code', text: 'x = 1' });
  });

  it('makes no link of what would run script, and no stress inside of names', () => {
    expect(
      linksIn(inlinesOf('[a](https://x.org) [b](javascript:alert) https://y.org/z.')),
    ).to.deep.equal(['https://x.org', 'https://y.org/z']);
    expect(inlinesOf('train_loss_mean')).to.deep.equal([{ kind: 'text', text: 'train_loss_mean' }]);
  });

  it('links to pages only and keeps every letter, whatever is written', () => {
    const piece = fc.constantFrom(
      ...[
        '*',
        '**',
        '_',
        '`',
        '```\n',
        '[',
        '](',
        ')',
        'javascript:',
        'https://a.b',
        '> ',
        '- ',
        '1. ',
      ],
      ...['| a |', '\n', '\n\n', '# ', '---', ' ', 'word', '\\', '<img onerror=x>'],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const text = pieces.join('');
        for (const to of linksIn(inlinesIn(blocksOf(text)))) expect(to).to.match(/^(https?:|\/|#)/);
        const letters = (all: string) => all.replaceAll(/[^a-z]/g, '').length;
        expect(letters(wordsOf(inlinesOf('word '.repeat(pieces.length))))).to.equal(
          4 * pieces.length,
        );
      }),
    );
  });

  it('takes no long time for a long text of marks', () => {
    const began = performance.now();
    for (const mark of ['*', '_', '`', '[', '> ', '- ', '|', '#', '**a'])
      blocksOf(mark.repeat(20_000));
    expect(performance.now() - began).to.be.lessThan(4000);
  });

  it('shows a line as a terminal does: the last that was written, and its colours', () => {
    expect(terminalLine('10 %\r50 %\r\u001b[32mdone\u001b[0m ok\r')).to.deep.equal({
      pieces: [
        { text: 'done', colour: 2, strong: false },
        { text: ' ok', colour: undefined, strong: false },
      ],
      folded: 2,
    });
    expect(terminalLine('\u001b[2K\u001b[1;31merror\u001b[39m:').pieces).to.deep.equal([
      { text: 'error', colour: 1, strong: true },
      { text: ':', colour: undefined, strong: true },
    ]);
  });

  it('reads boxes and polygons of a picture, and nothing from what holds none', () => {
    const metadata = JSON.stringify({
      annotations: [
        {
          name: 'found',
          data: [
            { label: 'car', score: 0.9, boxes: [[1, 2, 10, 20]] },
            { label: 'road', points: [[0, 0, 5, 0, 5, 5]] },
            { label: 'odd', boxes: [['x']] },
          ],
        },
      ],
    });
    expect(readShapes(metadata)).to.deep.equal([
      {
        layer: 'found',
        label: 'car',
        score: 0.9,
        corners: [
          [1, 2],
          [11, 2],
          [11, 22],
          [1, 22],
        ],
      },
      {
        layer: 'found',
        label: 'road',
        score: undefined,
        corners: [
          [0, 0],
          [5, 0],
          [5, 5],
        ],
      },
    ]);
    expect(readShapes('{"annotations"')).to.deep.equal([]);
    expect(readShapes('{"annotations":7}')).to.deep.equal([]);
    expect(readShapes(null)).to.deep.equal([]);
  });

  it('reads boxes that detectors name otherwise, and leaves out what is not chosen', () => {
    const shapes = readShapes(
      JSON.stringify({
        annotations: [{ bbox: [0, 0, 2, 2], category_id: 7, score: 0.2 }],
        boxes: [{ bbox: [1, 1, 2, 2], label: 'sign', confidence: 0.8 }, { label: 'none' }, 3],
      }),
    );
    expect(shapes.map(({ label, score, layer }) => [label, score, layer])).to.deep.equal([
      ['7', 0.2, ''],
      ['sign', 0.8, ''],
    ]);
    const none = { least: 0, withoutLabels: new Set<string>(), withoutLayers: new Set<string>() };
    expect(chosenShapes(shapes, none)).to.have.length(2);
    expect(chosenShapes(shapes, { ...none, least: 0.5 }).map(({ label }) => label)).to.deep.equal([
      'sign',
    ]);
    expect(chosenShapes(shapes, { ...none, withoutLabels: new Set(['sign']) })).to.have.length(1);
    expect(chosenShapes(shapes, { ...none, withoutLayers: new Set(['']) })).to.deep.equal([]);
  });

  it('keeps any names in an address', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ unit: 'grapheme' })), (names) => {
        const written = writeNames(new Set(names));
        expect([...readNames(written ?? null)].sort()).to.deep.equal([...names].sort());
      }),
    );
    expect([...readNames('%E0%A4%A')]).to.deep.equal(['%E0%A4%A']);
    expect([...readNames(writeNames(new Set(['-', ''])) ?? null)]).to.deep.equal(['-', '']);
  });

  it('reads vectors, their labels and small pictures, and nothing from what names no file', () => {
    const path = (id: string) => `https://host/api/asset/download?experimentKey=k&assetId=${id}`;
    const text = JSON.stringify({
      embeddings: [
        {
          tensorName: 'space',
          tensorShape: [10, 3],
          tensorPath: path('a'),
          metadataPath: path('b'),
          sprite: {
            imagePath: 'https://host/api/image/download?imageId=c&experimentKey=k',
            singleImageDim: [8, 6],
          },
        },
        { tensorPath: 'elsewhere' },
        { tensorPath: path('%E0%A4%A') },
        4,
      ],
    });
    expect(readEmbeddings(text)).to.deep.equal([
      {
        title: 'space',
        tensor: 'a',
        labels: 'b',
        sprite: { id: 'c', width: 8, height: 6, columns: 4 },
      },
    ]);
    expect(readEmbeddings('{')).to.deep.equal([]);
    expect(readLabels('cat\ndog\n', 5)).to.deep.equal([{ name: 'label', values: ['cat', 'dog'] }]);
    const table = readLabels('index\tlabel\n1\tcat\n2\tdog\n', 5);
    expect(usualColumn(table)).to.deep.equal({ name: 'label', values: ['cat', 'dog'] });
    const many = Array.from({ length: 13 }, (_, at) => String(at));
    expect(inksOf({ name: 'n', values: many })).to.deep.equal({ kind: 'scale', low: 0, high: 12 });
    expect(inksOf({ name: 'n', values: [...many, 'x'] })).to.deep.equal({ kind: 'none' });
  });
});
