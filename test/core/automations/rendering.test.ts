import { expect } from 'chai';
import { asksFor, renderMessages, valuesOf, type Sections } from '#core/automations/rendering';
import { isFailure } from '#ports/failure';
import type { JudgeMessage } from '#ports/model/automations';

const logged: Sections = {
  input: JSON.stringify({
    question: 'How much?',
    list: [{ deep: { n: 1 } }, 'two'],
    'a.b': 'dotted',
    none: null,
    injected: '{{answer}}',
  }),
  output: '"plain {{x}} text"',
  metadata: undefined,
};

/** What a template comes to with these variables. */
const rendered = (
  content: string,
  variables: Readonly<Record<string, string>>,
  sections: Sections = logged,
  spans?: string,
): unknown => {
  const messages: readonly JudgeMessage[] = [{ role: 'USER', content }];
  return renderMessages(messages, valuesOf(variables, sections, spans))[0]?.['content'];
};

describe('messages of a judge', () => {
  it('have values in the place of placeholders: whole members, and places within them', () => {
    for (const [path, expected] of [
      ['input.question', 'How much?'],
      [' input.question ', 'How much?'],
      ['input.list[0].deep', '{"n":1}'],
      ['input.list[0].deep.n', '1'],
      ['input.list[1]', 'two'],
      ['input["a.b"]', 'dotted'],
      ['output', 'plain {{x}} text'],
      ['inputs', 'inputs'],
      ['some words', 'some words'],
    ] as const)
      expect(rendered('<{{v}}|{{ v }}>', { v: path }), path).to.equal(`<${expected}|${expected}>`);
    expect(rendered('{{v}}', { v: 'input' })).to.equal(logged.input);
  });

  it('keep placeholders for which there is no value', () => {
    for (const path of [
      'metadata',
      'metadata.a',
      'input.none',
      'input.missing.deeper',
      'input.list[7]',
      'input.question.length',
      'input.constructor',
      'input.__proto__',
      'input..',
      'input.[',
      'output.a',
    ])
      expect(rendered('{{v}} {{w}}', { v: path }), path).to.equal('{{v}} {{w}}');
    expect(rendered('{{ }} {{{v}}} {v}', { v: 'output' })).to.equal('{{ }} {plain {{x}} text} {v}');
  });

  it('are not looked through for placeholders in what was logged', () => {
    const variables = { question: 'input.injected', answer: 'output', x: 'input.question' };
    expect(rendered('{{question}} {{answer}}', variables)).to.equal('{{answer}} plain {{x}} text');
  });

  it('show the spans of a trace by a variable of that name, unless its path leads elsewhere', () => {
    expect(rendered('{{spans}}', { spans: 'spans' }, logged, '[1]')).to.equal('[1]');
    expect(rendered('{{spans}}', { spans: '' }, logged, '[1]')).to.equal('[1]');
    expect(rendered('{{spans}}', { spans: 'input.question' }, logged, '[1]')).to.equal('How much?');
    expect(rendered('{{v}}', { v: 'spans' }, logged, '[1]')).to.equal('spans');
    expect(asksFor([{ role: 'USER', content: 'a {{ spans }}' }], 'spans')).to.equal(true);
    expect(asksFor([{ role: 'USER', content: 'a spans' }], 'spans')).to.equal(false);
  });

  it('show what is no JSON as it stands, and nothing within it', () => {
    const cut = { ...logged, input: '{"question": "How mu' };
    expect(rendered('{{v}}', { v: 'input' }, cut)).to.equal(cut.input);
    expect(rendered('{{v}}', { v: 'input.question' }, cut)).to.equal('{{v}}');
  });

  it('have the roles of models, and parts beside texts', () => {
    const parts = [
      { type: 'text', text: 'See {{q}}' },
      { type: 'image_url', image_url: { url: 'https://a.example/{{q}}', detail: 'low' } },
      { type: 'video_url', video_url: { url: '{{none}}' } },
    ];
    const roles = ['SYSTEM', 'USER', 'AI', 'TOOL_EXECUTION_RESULT', 'CUSTOM'] as const;
    const values = new Map([['q', '7']]);
    expect(
      renderMessages(
        roles.map((role) => ({ role, content: 'x' })),
        values,
      ).map(({ role }) => role),
    ).to.deep.equal(['system', 'user', 'assistant', 'user', 'user']);
    expect(renderMessages([{ role: 'USER', content_array: parts }], values)).to.deep.equal([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See 7' },
          { type: 'image_url', image_url: { url: 'https://a.example/7', detail: 'low' } },
          { type: 'video_url', video_url: { url: '{{none}}' } },
        ],
      },
    ]);
  });

  it('are bounded, however often they ask for however much', () => {
    const long = { ...logged, input: JSON.stringify('x'.repeat(900_000)) };
    expect(rendered('{{v}}', { v: 'input' }, long)).to.have.length(200_000);
    let thrown: unknown;
    try {
      rendered('{{v}}'.repeat(6), { v: 'input' }, long);
    } catch (failure) {
      thrown = failure;
    }
    expect(isFailure(thrown) && thrown.kind).to.equal('tooLarge');
  });
});
