// What the pages of experiments, datasets and prompts, and the playground, work out without a browser.
import { expect } from 'chai';
import fc from 'fast-check';
import { pathOf, readPlace } from '#plugins/web-ui/pure/address';
import {
  itemName,
  memberOf,
  readData,
  shownData,
  versionDifferences,
  type VersionItem,
} from '#plugins/web-ui/pure/datasets';
import {
  comparedIds,
  distributionOf,
  expectedOf,
  gainOf,
  itemRows,
  liesIn,
  mostCompared,
  passed,
  readStretch,
  regressionsFirst,
  scoreIn,
  scoreNames,
  selections,
  signTest,
  stretchOf,
  verdictOf,
  wordsOf,
  writeStretch,
  type ItemRow,
} from '#plugins/web-ui/pure/experiments';
import {
  chatRequest,
  draftVariables,
  messagesOfTemplate,
  modelChoices,
  mostVariants,
  noAnswer,
  pieceReader,
  readDraft,
  triedPrompt,
  usualDraft,
  withPiece,
  withVariant,
  type Draft,
  type Variant,
} from '#plugins/web-ui/pure/playground';
import {
  checkTemplate,
  editedTemplate,
  filled,
  readMessages,
  shownTemplate,
  variablesOf,
} from '#plugins/web-ui/pure/prompts';

const sent = (experiment: string, value: number | undefined, rest: object = {}) => ({
  ...{ id: `${experiment}-run`, experiment_id: experiment, trace_id: 't', output: { text: 'x' } },
  feedback_scores: value === undefined ? [] : [{ name: 'right', value, reason: 'so it is' }],
  ...rest,
});
/** Items with a score of each of two experiments, in their order. */
const rowsOf = (...scores: readonly (readonly [number | undefined, number | undefined])[]) =>
  itemRows(
    scores.map(([one, other], at) => ({
      id: `i${at}`,
      data: { question: `q${at}` },
      experiment_items: [sent('other', other), sent('base', one)],
    })),
    ['base', 'other'],
  );
const by = { score: 'right', lessIsBetter: false };
const idsOf = (rows: readonly ItemRow[]) => rows.map(({ id }) => id);

describe('the pages of experiments, datasets and prompts without a browser', () => {
  it('read from an address which of them they show', () => {
    for (const [list, screen] of [
      ['experiments', 'experiment'],
      ['datasets', 'dataset'],
      ['prompts', 'prompt'],
    ] as const) {
      expect(readPlace(pathOf('w', 'a', list))).to.deep.equal({ screen: list, workspace: 'a' });
      fc.assert(
        fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (id) => {
          expect(readPlace(pathOf('w', 'a', list, id))).to.deep.equal({
            ...{ screen, workspace: 'a', id },
          });
        }),
      );
      expect(readPlace(`/w/a/${list}/b/c`).screen).to.equal('nothing');
    }
    expect(readPlace('/w/a/playground')).to.deep.equal({ screen: 'playground', workspace: 'a' });
    expect(readPlace('/w/a/models/b').screen).to.equal('nothing');
    expect(readPlace('/w/a/constructor/b').screen).to.equal('nothing');
  });

  describe('compare experiments', () => {
    it('with the runs of each in the order in which they are compared', () => {
      const [row] = rowsOf([1, 0.25]);
      expect(row?.runs.map(([run]) => run?.id)).to.deep.equal(['base-run', 'other-run']);
      expect(row?.runs[0]?.[0]?.scores).to.deep.equal([
        { name: 'right', value: 1, reason: 'so it is' },
      ]);
    });

    it('with an item that was run several times by the mean of its scores, and by whether all passed', () => {
      const [row] = itemRows(
        [
          {
            ...{ id: 'i', data: {} },
            experiment_items: [
              sent('base', 1, { status: 'passed' }),
              sent('base', 0, { status: 'failed' }),
              sent('strange', 7),
            ],
          },
        ],
        ['base', 'never'],
      );
      expect(scoreIn(row?.runs[0], 'right')).to.equal(0.5);
      expect(scoreIn(row?.runs[0], passed)).to.equal(0.5);
      expect(row?.runs[1]).to.deep.equal([]);
      expect(scoreIn(row?.runs[1], 'right')).to.equal(undefined);
      expect(scoreNames(row === undefined ? [] : [row])).to.deep.equal([passed, 'right']);
    });

    it('passing over scores that are none', () => {
      const [row] = itemRows(
        [
          {
            ...{ id: 'i', data: {} },
            experiment_items: [
              sent('base', 0, { feedback_scores: [null, 3, { name: 'a' }, { name: 1, value: 1 }] }),
            ],
          },
        ],
        ['base'],
      );
      expect(row?.runs[0]?.[0]?.scores).to.deep.equal([]);
    });

    it('by what was gained, which turns round where less is better', () => {
      const [row] = rowsOf([1, 0.25]);
      if (row === undefined) throw new Error('there is no row');
      expect(gainOf(row, 1, by)).to.equal(-0.75);
      expect(gainOf(row, 1, { ...by, lessIsBetter: true })).to.equal(0.75);
      expect(gainOf(row, 1, { ...by, score: 'nothing' })).to.equal(undefined);
    });

    it('with regressions first, and what cannot be compared last', () => {
      const rows = rowsOf([0, 1], [undefined, 1], [1, 0.5], [0.5, 0.5], [1, 0]);
      expect(idsOf(regressionsFirst(rows, by))).to.deep.equal(['i4', 'i2', 'i3', 'i0', 'i1']);
      expect(idsOf(rows)).to.deep.equal(['i0', 'i1', 'i2', 'i3', 'i4']);
      const turned = regressionsFirst(rows, { ...by, lessIsBetter: true });
      expect(idsOf(turned)).to.deep.equal(['i0', 'i3', 'i2', 'i4', 'i1']);
    });

    it('with a selection of those that got worse or better, differ, or lack a run', () => {
      const rows = [
        ...rowsOf([1, 0], [0, 1], [1, 1]),
        ...itemRows(
          [
            {
              ...{ id: 'lone', data: {} },
              experiment_items: [sent('base', 1, { output: 'else' })],
            },
          ],
          ['base', 'other'],
        ),
      ];
      const chosen = (name: string) =>
        idsOf(rows.filter((row) => selections[name]?.holds(row, by) === true));
      expect(chosen('all')).to.have.length(4);
      expect(chosen('worse')).to.deep.equal(['i0']);
      expect(chosen('better')).to.deep.equal(['i1']);
      expect(chosen('different')).to.deep.equal(['lone']);
      expect(chosen('missing')).to.deep.equal(['lone']);
    });

    it('with how many got better and worse, and how likely that is by chance', () => {
      expect(verdictOf(rowsOf([1, 0], [0, 1], [1, 1], [undefined, 1]), 1, by)).to.deep.equal({
        ...{ better: 1, worse: 1, same: 1, chance: 1 },
      });
      expect(verdictOf(rowsOf([1, 1]), 1, by).chance).to.equal(undefined);
      expect(signTest(0, 5)).to.be.closeTo(0.0625, 1e-12);
      expect(signTest(1, 10)).to.be.closeTo(22 / 1024, 1e-12);
      expect(signTest(1, 2)).to.equal(1);
      // Coefficients of so many are beyond numbers.
      expect(signTest(900, 2000)).to.be.within(1e-6, 1e-5);
    });

    it('with how scores lie, over the same stretches for all', () => {
      fc.assert(
        fc.property(
          fc.array(fc.tuple(fc.double({ min: -5, max: 5, noNaN: true }), fc.integer()), {
            minLength: 1,
          }),
          (scores) => {
            const rows = rowsOf(...scores);
            const found = distributionOf(rows, 'right');
            expect(found?.counts.map((some) => some.reduce((sum, one) => sum + one, 0))).to.eql([
              scores.length,
              scores.length,
            ]);
            expect(found?.least).to.equal(Math.min(...scores.flat()));
          },
        ),
      );
      expect(distributionOf(rowsOf([0, 1]), 'nothing')).to.equal(undefined);
      expect(distributionOf([], 'right')).to.equal(undefined);
    });

    it('with the items of a stretch alone, each in one of them', () => {
      const rows = rowsOf([0, 1], [0.5, 0], [1, 0.25], [undefined, 1]);
      const found = distributionOf(rows, 'right');
      if (found === undefined) throw new Error('there are scores');
      const counts = found.counts.map((some, at) =>
        some.map((_, place) => {
          const stretch = readStretch(writeStretch(stretchOf(found, at, place)), 2);
          if (stretch === undefined) throw new Error('it can be read');
          return rows.filter((row) => liesIn(row, 'right', stretch, found.most)).length;
        }),
      );
      expect(counts).to.deep.equal(found.counts);
      for (const text of [
        null,
        '',
        '0~1',
        '2~0~1',
        '-1~0~1',
        '0.5~0~1',
        '0~~1',
        '0~a~1',
        '0~0~1~2',
      ])
        expect([text, readStretch(text, 2)]).to.deep.equal([text, undefined]);
    });

    it('with what an item says should come out', () => {
      expect(expectedOf({ question: 'q', expected_output: 'a' })).to.equal('a');
      expect(expectedOf({ question: 'q' })).to.equal(undefined);
      expect(expectedOf('text')).to.equal(undefined);
      expect(wordsOf({ answer: 'only this' })).to.equal('only this');
      expect(wordsOf({ a: 1 })).to.equal('{\n  "a": 1\n}');
      expect(wordsOf(undefined)).to.equal('');
    });

    it('each once, and no more than can stand side by side', () => {
      expect(comparedIds('a', ['b', 'a', 'b'])).to.deep.equal(['a', 'b']);
      expect(comparedIds('a', [...'bcdefghij'])).to.have.length(mostCompared);
    });
  });

  describe('read and compare items of datasets', () => {
    it('as objects of JSON, with a sentence for what is none', () => {
      expect(readData('{"a": [1]}')).to.deep.equal({ a: [1] });
      expect(() => readData('{"a": ')).to.throw('this is no JSON');
      for (const text of ['[]', 'null', '3', '"a"'])
        expect(() => readData(text)).to.throw('an item is a JSON object');
      expect(() => readData('{}')).to.throw('at least one member');
    });

    it('by their content, in whatever order members stand', () => {
      const item = (id: string, data: unknown, rest: Partial<VersionItem> = {}): VersionItem => ({
        ...{ id, data },
        ...rest,
      });
      const from = [item('same', { a: 1, b: 2 }), item('old', { a: 1 }), item('gone', {})];
      const to = [item('new', {}), item('old', { a: 2 }), item('same', { b: 2, a: 1 })];
      expect(versionDifferences(from, to).map((one) => [one.kind, one.item.id])).to.deep.equal([
        ['changed', 'old'],
        ['added', 'new'],
        ['removed', 'gone'],
      ]);
      const tagged = [item('same', { a: 1, b: 2 }, { tags: ['x'] })];
      expect(versionDifferences(from, tagged)[0]?.kind).to.equal('changed');
      expect(versionDifferences(from, from)).to.deep.equal([]);
      expect(shownData({ b: 1, a: { d: 1, c: 2 } })).to.equal(
        '{\n  "a": {\n    "c": 2,\n    "d": 1\n  },\n  "b": 1\n}',
      );
    });

    it('under a name that is never empty', () => {
      expect(itemName('i', { question: 'Where?' })).to.equal('Where?');
      expect(itemName('i', { input: null, output: 3 })).to.equal('{"input":null,"output":3}');
      fc.assert(
        fc.property(fc.json(), (text) => {
          expect(itemName('i', JSON.parse(text))).not.to.equal('');
        }),
      );
      expect(itemName('i', undefined)).to.equal('i');
    });

    it('by their members', () => {
      expect(memberOf({ a: 1 }, 'a')).to.equal(1);
      expect(memberOf(null, 'a')).to.equal(undefined);
    });
  });

  describe('read templates of prompts', () => {
    const chat =
      '[{"role":"system","content":"Be brief"},{"role":"user","content":"{{question}}"}]';

    it('as messages or as text', () => {
      expect(readMessages(chat)).to.have.length(2);
      for (const text of ['Hello', '[]', '{}', '[{"role":"user"}]', '[1]'])
        expect([text, readMessages(text)]).to.deep.equal([text, undefined]);
      expect(shownTemplate(chat, 'chat')).to.equal('system:\nBe brief\n\nuser:\n{{question}}');
      expect(shownTemplate(chat, 'text')).to.equal(chat);
      expect(JSON.parse(editedTemplate(chat, 'chat'))).to.deep.equal(JSON.parse(chat));
    });

    it('with a sentence for one that does not fit', () => {
      expect(checkTemplate(chat, 'chat')).to.equal(chat);
      expect(() => checkTemplate('Hello', 'chat')).to.throw('a JSON list of messages');
      expect(() => checkTemplate(' ', 'text')).to.throw('a prompt has a text');
    });

    it('with the names in double braces, and values in their place', () => {
      expect(variablesOf(['{{a}} {{ b }} {{}} {c} {{{d}}}', '{{a}}'])).to.deep.equal([
        ...['a', 'b', 'd'],
      ]);
      expect(filled('{{ a }} and {{b}}', { a: '{{b}} $&' })).to.equal('{{b}} $& and {{b}}');
      expect(filled('{{constructor}}', {})).to.equal('{{constructor}}');
      fc.assert(
        fc.property(fc.string(), (text) => {
          expect(filled(text, {})).to.equal(text);
        }),
      );
    });
  });

  describe('try prompts', () => {
    const variant: Variant = {
      ...{ key: 1, model: ' gpt-4o ', settings: { temperature: '0.5', seed: '' }, from: undefined },
      messages: [
        { role: 'system', text: ' ' },
        { role: 'user', text: 'Where is {{city}}?' },
      ],
    };

    it('once, with what was filled in, and numbers as numbers', () => {
      expect(chatRequest(variant, { city: 'Oslo' })).to.deep.equal({
        model: 'gpt-4o',
        messages: [{ role: 'user', content: 'Where is Oslo?' }],
        stream: true,
        stream_options: { include_usage: true },
        temperature: 0.5,
      });
    });

    it('over a dataset, with names left for its members', () => {
      expect(triedPrompt(variant, '')).to.deep.equal({
        model: 'gpt-4o',
        messages: [{ role: 'user', content: 'Where is {{city}}?' }],
        configs: { temperature: 0.5 },
      });
      expect(triedPrompt(variant, 'first')).to.include({ experiment_name: 'first' });
    });

    it('as a version of a prompt only while they are as they were taken', () => {
      const { messages } = variant;
      const from = { id: 'v', commit: 'c', promptId: 'p', promptName: 'n', messages };
      expect(triedPrompt({ ...variant, from }, '')).to.deep.include({
        prompt_versions: [{ id: 'v', commit: 'c', prompt_id: 'p', prompt_name: 'n' }],
      });
      const changed = { ...variant, from, messages: [{ role: 'user', text: 'else' }] };
      expect(triedPrompt(changed, '')).to.not.have.property('prompt_versions');
    });

    it('with a sentence for what cannot be tried', () => {
      expect(() => chatRequest({ ...variant, model: ' ' }, {})).to.throw('choose a model');
      const silent = { ...variant, messages: [{ role: 'user', text: '\n' }] };
      expect(() => triedPrompt(silent, '')).to.throw('write a message');
      const hot = { ...variant, settings: { temperature: 'hot' } };
      expect(() => chatRequest(hot, {})).to.throw('temperature is a number');
    });

    it('keeping a draft, and beginning anew where it cannot be read', () => {
      const draft: Draft = { variants: [variant], values: { city: 'Oslo' } };
      expect(readDraft(JSON.stringify(draft))).to.deep.equal(JSON.parse(JSON.stringify(draft)));
      for (const text of [null, '', '{', '{}', '{"variants":[]}', '{"variants":[{}]}'])
        expect([text, readDraft(text)]).to.deep.equal([text, usualDraft]);
      expect(draftVariables(draft)).to.deep.equal(['city']);
    });

    it('in as many variants as the server runs at once', () => {
      let draft = usualDraft;
      for (let at = 0; at < mostVariants + 5; at++) draft = withVariant(draft);
      expect(draft.variants).to.have.length(mostVariants);
      expect(new Set(draft.variants.map(({ key }) => key)).size).to.equal(mostVariants);
    });

    it('with the messages of a template', () => {
      expect(messagesOfTemplate('Hello', 'text')).to.deep.equal([{ role: 'user', text: 'Hello' }]);
      expect(
        messagesOfTemplate('[{"role":"user","content":[{"type":"text"}]}]', 'chat'),
      ).to.deep.equal([{ role: 'user', text: '[{"type":"text"}]' }]);
    });

    it('reading an answer from a stream, wherever that is cut', () => {
      const pieces = [
        { choices: [{ delta: { content: 'Nor' } }] },
        { choices: [{ delta: { content: 'way' }, finish_reason: 'stop' }] },
        { choices: [], usage: { total_tokens: 9 } },
      ];
      const stream = `${pieces.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')}data: [DONE]\n\n`;
      fc.assert(
        fc.property(fc.array(fc.nat(stream.length)), (cuts) => {
          const read = pieceReader();
          const at = [0, ...cuts.sort((a, b) => a - b), stream.length];
          const found = at.slice(1).flatMap((to, place) => read(stream.slice(at[place], to)));
          expect(found.reduce(withPiece, noAnswer)).to.deep.equal({
            ...{ text: 'Norway', tokens: 9, ended: 'stop' },
          });
        }),
      );
      expect(() => withPiece(noAnswer, { code: 429, message: 'too many' })).to.throw('too many');
      const call = { choices: [{ delta: { tool_calls: [{ function: { name: 'find' } }] } }] };
      expect(withPiece(noAnswer, call).text).to.equal('find');
    });

    it('with the models of providers for whom there is a key', () => {
      const known = { openai: ['gpt-4o'], anthropic: ['claude'], openrouter: ['a/b'] };
      expect(
        modelChoices(known, [
          { provider: 'openai' },
          { provider: 'openrouter' },
          {
            ...{ provider: 'custom-llm', provider_name: 'own' },
            configuration: { models: 'x, custom-llm/own/y,,' },
          },
        ]),
      ).to.deep.equal(['gpt-4o', 'openrouter/a/b', 'custom-llm/own/x', 'custom-llm/own/y']);
    });
  });
});
