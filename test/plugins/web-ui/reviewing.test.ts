// What the pages of queues, evaluators and alerts work out without a browser.
import { expect } from 'chai';
import {
  draftOf as alertDraft,
  holdsOf,
  sentAlert,
  showTrigger,
  usualAlert,
  usualTrigger,
} from '#plugins/web-ui/pure/alerts';
import {
  askedNames,
  draftOf as ruleDraft,
  filterFields,
  sentRule,
  usualRule,
  type ShownRule,
} from '#plugins/web-ui/pure/evaluators';
import {
  faultOfScore,
  fieldsOf,
  keysOfField,
  nextOpen,
  otherAuthors,
  readCategories,
  scoreOfDigit,
  scoresBy,
  type ScoreField,
} from '#plugins/web-ui/pure/reviewing';

const fieldOf = (type: string, details: unknown): ScoreField => {
  const [field] = fieldsOf(['a'], [{ name: 'a', type, details }]);
  if (field === undefined) throw new Error('a name has a field');
  return field;
};

describe('fields of an annotation queue', () => {
  const categories = fieldOf('categorical', { categories: { yes: 1, no: 0, partly: 0.5 } });
  const stars = fieldOf('numerical', { min: 1, max: 5 });
  const share = fieldOf('numerical', { min: 0, max: 1 });

  it('give the choice of a digit, in the order of their numbers', () => {
    expect([1, 2, 3, 4].map((digit) => scoreOfDigit(categories, digit)?.category)).to.deep.equal([
      ...['no', 'partly', 'yes', undefined],
    ]);
    const yesOrNo = fieldOf('boolean', { trueLabel: 'good', falseLabel: 'bad' });
    expect(scoreOfDigit(yesOrNo, 1)).to.deep.equal({ value: 1, category: 'good' });
    expect(scoreOfDigit(yesOrNo, 2)).to.deep.equal({ value: 0, category: 'bad' });
  });

  it('take a digit as the number where all are digits, and as tenths of a range else', () => {
    expect([0, 1, 5, 6].map((digit) => scoreOfDigit(stars, digit)?.value)).to.deep.equal([
      ...[undefined, 1, 5, undefined],
    ]);
    expect([1, 3, 0].map((digit) => scoreOfDigit(share, digit)?.value)).to.deep.equal([
      0.1, 0.3, 1,
    ]);
    expect(keysOfField(share)).to.equal('0 to 1; keys 1 to 9 are tenths of that, 0 is 1');
  });

  it('take any number of a name that is not defined', () => {
    const [field] = fieldsOf(['free'], []);
    expect(field && scoreOfDigit(field, 7)).to.deep.equal({ value: 7, category: undefined });
  });

  it('say what is wrong with a score', () => {
    const given = (value: number) => ({ value, category: undefined, reason: undefined });
    expect(faultOfScore(stars, given(6))).to.equal('a is a number from 1 to 5');
    expect(faultOfScore(stars, given(Number.NaN))).to.equal('a is a number');
    expect(faultOfScore(stars, given(5))).to.equal(undefined);
  });

  it('read categories by lines, of which any may hold an equals sign', () => {
    expect(readCategories(' bad = 0 \n\na=b = 1.5')).to.deep.equal({ bad: 0, 'a=b': 1.5 });
    for (const text of ['', 'bad', '= 1', 'bad = much'])
      expect(() => readCategories(text), text).to.throw();
  });

  it('tell the scores of whoever looks from those of others', () => {
    const scores = [
      { name: 'a', value_by_author: { ann: { value: 1, reason: 'so' }, bob: { value: 0 } } },
      { name: 'b', value_by_author: { eve: { value: 1 } } },
    ];
    expect(scoresBy('ann', ['a'], scores)).to.deep.equal({
      a: { value: 1, category: undefined, reason: 'so' },
    });
    expect(scoresBy('constructor', ['a'], scores)).to.deep.equal({});
    expect(otherAuthors('ann', ['a'], scores)).to.equal(1);
    expect(otherAuthors('ann', ['a', 'b'], scores)).to.equal(2);
  });

  it('lead to the next item that is open, around the end', () => {
    expect(nextOpen([true, false, false], 1)).to.equal(0);
    expect(nextOpen([false, false], 0)).to.equal(undefined);
    expect(nextOpen([], 0)).to.equal(undefined);
  });
});

describe('evaluators in a form', () => {
  const shown: ShownRule = {
    type: 'llm_as_judge',
    ...{ name: 'strict', enabled: false, sampling_rate: 0.07 },
    projects: [{ project_id: 'p1' }, { project_id: 'p2' }],
    filters: [{ field: 'tags', operator: 'contains', value: 'prod' }],
    code: {
      model: { name: 'openai/x', temperature: 0, custom_parameters: { top_k: 3 } },
      messages: [
        { role: 'SYSTEM', content: 'Judge {{answer}} {{ answer }}' },
        { role: 'USER', content_array: [{ type: 'text', text: '{{question}}' }] },
      ],
      variables: { answer: 'output.text', question: 'input', unused: 'metadata' },
      schema: [{ name: 'Quality', type: 'DOUBLE', description: 'how good' }],
    },
  };

  it('are sent as they were shown, but for variables that nothing asks for', () => {
    const draft = ruleDraft(shown);

    expect(draft.sampling).to.equal('7');
    expect(askedNames(draft)).to.deep.equal(['answer', 'question']);
    expect(sentRule(draft)).to.deep.equal({
      ...{ type: 'llm_as_judge', action: 'evaluator', name: 'strict', enabled: false },
      ...{ project_ids: ['p1', 'p2'], sampling_rate: 0.07, filters: shown.filters },
      code: {
        model: shown.code.model,
        messages: shown.code.messages,
        variables: { answer: 'output.text', question: 'input' },
        schema: shown.code.schema,
      },
    });
  });

  it('say what is missing', () => {
    const judge = { ...usualRule('llm_as_judge', 'p'), name: 'a', model: 'm' };
    for (const [change, says] of [
      [{ name: ' ' }, 'give the rule a name'],
      [{ projectIds: [] }, 'choose a project'],
      [{ sampling: '101' }, 'the share is a number from 0 to 100'],
      [{ model: '' }, 'choose a model'],
      [{ messages: [] }, 'write a message'],
      [{ outputs: [] }, 'say which scores are asked for'],
      [{ temperature: 'hot' }, 'temperature is a number'],
      [
        { messages: [{ role: 'USER', text: '{}', hasParts: true }] },
        'the parts of a message are a JSON list',
      ],
    ] as const)
      expect(() => sentRule({ ...judge, ...change }), says).to.throw(says);
    expect(sentRule(judge).sampling_rate).to.equal(1);
  });

  it('of threads and in Python have no paths but those of a program', () => {
    const ofThreads = { ...usualRule('trace_thread_llm_as_judge', 'p'), name: 'a', model: 'm' };
    expect(sentRule(ofThreads).code).to.not.have.property('variables');
    const python = { ...usualRule('user_defined_metric_python', 'p'), name: 'a' };
    expect(sentRule(python).code).to.deep.include({
      arguments: { input: 'input', output: 'output' },
    });
    expect(filterFields('span')).to.not.include('thread_id');
    expect(filterFields('thread')).to.not.include('input');
  });
});

describe('alerts in a form', () => {
  const config = (threshold: string, group_index: number | undefined) => ({
    type: 'threshold:feedback_score',
    config_value: { threshold, window: '3600', name: 'helpful', operator: '<' },
    group_index,
  });
  const shown = {
    ...{ id: 'a1', name: 'bad', enabled: true, alert_type: 'pagerduty' },
    metadata: { routing_key: 'r', base_url: 'https://ui.example.org' },
    webhook: { url: 'https://x.example.org', secret_token: 'a***', headers: { 'X-A': '***' } },
    triggers: [
      {
        event_type: 'trace:feedback_score',
        trigger_configs: [
          { type: 'scope:project', config_value: { project_ids: '["p1"]' } },
          ...[config('0.5', 1), config('0.1', undefined), config('0.4', 1)],
        ],
      },
    ],
  };

  it('keep what goes together together, and secrets as they are masked', () => {
    const sent = sentAlert(alertDraft(shown));

    expect(sent).to.deep.include({ metadata: shown.metadata, webhook: shown.webhook });
    const [scope, ...thresholds] = sent.triggers[0]?.trigger_configs ?? [];
    expect(scope?.config_value).to.deep.equal({ project_ids: '["p1"]' });
    expect(
      thresholds.map((one) => [
        'group_index' in one ? one.group_index : undefined,
        'threshold' in one.config_value ? one.config_value.threshold : undefined,
      ]),
    ).to.deep.equal([
      [0, '0.1'],
      [1, '0.5'],
      [1, '0.4'],
    ]);
  });

  it('of one project leave its scope to the server', () => {
    const sent = sentAlert({ ...alertDraft({ ...shown, project_id: 'p1' }) });
    expect(JSON.stringify(sent.triggers)).to.not.contain('scope:project');
    expect(sent.project_id).to.equal('p1');
  });

  it('at an address of Teams are of that channel, and sent as general ones', () => {
    const url = 'https://prod-1.logic.azure.com/workflows/x';
    const draft = alertDraft({ ...shown, alert_type: 'general', webhook: { url } });
    expect(draft.channel).to.equal('teams');
    expect(sentAlert(draft).alert_type).to.equal('general');
  });

  it('say what is missing, and what they wait for', () => {
    const draft = { ...usualAlert(undefined), name: 'a', url: 'https://x.example.org' };
    for (const [change, says] of [
      [{ name: '' }, 'give the alert a name'],
      [{ url: '' }, 'write the address that is told'],
      [{ channel: 'teams' }, 'this is no address of a workflow or connector of Teams'],
      [{ channel: 'pagerduty' }, 'PagerDuty needs a routing key'],
      [{ triggers: [] }, 'say what is to be told of'],
      [{ triggers: [usualTrigger('trace:feedback_score')] }, 'name the score'],
    ] as const)
      expect(() => sentAlert({ ...draft, ...change }), says).to.throw(says);
    expect(showTrigger(usualTrigger('trace:errors'))).to.equal(
      'traces that failed above 10 in the last hour',
    );
  });

  it('hold of figures that there are', () => {
    const [below] = usualTrigger('trace:feedback_score').conditions;
    if (below === undefined) throw new Error('a metric begins with a condition');
    expect([0.4, 0.5, undefined].map((figure) => holdsOf(below, figure))).to.deep.equal([
      ...[true, false, false],
    ]);
  });
});
