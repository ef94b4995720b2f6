// Texts that people and programs wrote, as they are shown: notes, output, what lies where in a picture.
import { expect } from 'chai';
import fc from 'fast-check';
import { readShapes } from '#plugins/web-ui/pure/annotations';
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
});
