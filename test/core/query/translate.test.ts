import { expect } from 'chai';
import fc from 'fast-check';
import { satisfies, type Facts } from '#core/experiments/query/satisfies';
import { translatePredicates, translateRulesTree } from '#core/experiments/query/translate';
import { isFailure } from '#ports/failure';
import { facts, group, predicate, rule } from './wire.js';

const matches = (tree: unknown, experiment: Facts): boolean =>
  satisfies(translateRulesTree(tree), experiment);
const matchesAll = (predicates: unknown, experiment: Facts): boolean =>
  satisfies(translatePredicates(predicates), experiment);
const one = (source: string, field: string, operator: string, value?: unknown, type?: string) =>
  group('AND', [rule(field, operator, value, { source, ...(type === undefined ? {} : { type }) })]);

const refuses = (call: () => unknown, message: string): void => {
  try {
    call();
  } catch (error) {
    expect(isFailure(error) ? [error.kind, error.message] : error).to.deep.equal([
      'invalid',
      message,
    ]);
    return;
  }
  expect.fail(`not refused: ${message}`);
};

const experiment = facts({
  metric: { loss: 0.5, acc: 0.9, state: 'NaN' },
  parameter: { lr: 0.1, name: 'ResNet-50', flag: 'True', note: '' },
  other: { Name: 'quick_fox' },
  tag: { best: 'best' },
  metadata: {
    duration: 120,
    hasNotes: false,
    runActive: true,
    start_server_timestamp: new Date('2024-09-24T05:00:00Z'),
    user_name: 'ada',
  },
  environment: { os: 'Linux' },
});

describe('operators of the wire', () => {
  // source, field, operator, value, whether the experiment above matches, type
  const cases: readonly (readonly [string, string, string, unknown, boolean, string?])[] = [
    ['metrics', 'loss', 'equal', 0.5, true],
    ['metrics', 'loss', 'equal', '0.50', true, 'double'],
    ['metrics', 'loss', 'not_equal', 0.5, false],
    ['metrics', 'loss', 'not_equal', 0.4, true],
    ['metrics', 'loss', 'less', 0.5, false],
    ['metrics', 'loss', 'less_or_equal', 0.5, true],
    ['metrics', 'loss', 'greater', 0.5, false],
    ['metrics', 'loss', 'greater_or_equal', 0.5, true],
    ['metrics', 'loss', 'less', 0.6, true],
    ['metrics', 'loss', 'greater', 0.4, true],
    ['metrics', 'loss', 'between', ['0.5', '1'], true, 'double'],
    ['metrics', 'loss', 'between', ['0', '0.5'], true, 'double'],
    ['metrics', 'loss', 'between', ['0.51', '1e3'], false, 'double'],
    ['metrics', 'loss', 'between', ['-inf', 'inf'], true, 'double'],
    ['metrics', 'loss', 'not_between', ['0.5', '1'], false, 'double'],
    ['metrics', 'loss', 'not_between', ['0.51', '1'], true, 'double'],
    ['metrics', 'state', 'less', 3, false],
    ['metrics', 'state', 'greater_or_equal', 3, false],
    ['params', 'name', 'equal', 'ResNet-50', true],
    ['params', 'flag', 'equal', true, true, 'boolean'],
    ['params', 'flag', 'equal', 'false', false, 'boolean'],
    ['params', 'flag', 'not_equal', 0, true, 'boolean'],
    ['params', 'name', 'equal', 1, false, 'boolean'],
    ['params', 'name', 'equal', 'resnet-50', false],
    ['params', 'name', 'contains', 'Net', true],
    ['params', 'name', 'contains', 'net', false],
    ['params', 'name', 'contains', '%', false],
    ['params', 'name', 'not_contains', 'Net', false],
    ['params', 'name', 'begins_with', 'Res', true],
    ['params', 'name', 'not_begins_with', 'Res', false],
    ['params', 'name', 'ends_with', '-50', true],
    ['params', 'name', 'not_ends_with', '-50', false],
    ['log_other', 'Name', 'contains', 'k_f', true],
    ['log_other', 'Name', 'contains', 'k_q', false],
    ['params', 'name', 'less', 'S', true],
    ['params', 'name', 'greater', 'S', false],
    ['params', 'name', 'is_null', null, false],
    ['params', 'name', 'is_not_null', null, true],
    ['params', 'name', 'is_empty', null, false],
    ['params', 'name', 'is_not_empty', null, true],
    ['params', 'note', 'is_null', null, false],
    ['params', 'note', 'is_empty', null, true],
    ['params', 'note', 'is_not_empty', null, false],
    ['params', 'flag', 'equal', 1, true, 'string'],
    ['params', 'flag', 'equal', 0, false, 'string'],
    ['params', 'flag', 'not_equal', 1, false, 'string'],
    ['params', 'lr', 'equal', 0.1, true, 'string'],
    ['tag', 'best', 'equal', 'best', true],
    ['tag', 'best', 'not_equal', 'best', false],
    ['tag', 'worst', 'equal', 'worst', false],
    ['tag', 'worst', 'not_equal', 'worst', true],
    ['metadata', 'duration', 'greater', 119, true, 'timenumber'],
    ['metadata', 'duration', 'less_or_equal', 119.5, false, 'timenumber'],
    ['metadata', 'duration', 'between', ['100', '120'], true, 'timenumber'],
    ['metadata', 'hasNotes', 'equal', 0, true, 'boolean'],
    ['metadata', 'hasNotes', 'equal', 1, false, 'boolean'],
    ['metadata', 'runActive', 'not_equal', 1, false, 'boolean'],
    ['metadata', 'start_server_timestamp', 'less', '2024-09-24 05:00:01', true, 'datetime'],
    ['metadata', 'start_server_timestamp', 'less', '2024-09-24 05:00:00', false, 'datetime'],
    ['metadata', 'start_server_timestamp', 'equal', '2024-09-24 05:00:00', true, 'datetime'],
    [
      'metadata',
      'start_server_timestamp',
      'greater',
      '2024-09-24 06:59:59.999999+02:00',
      true,
      'datetime',
    ],
    ['metadata', 'start_server_timestamp', 'greater', '2024-09-24', true, 'datetime'],
    ['metadata', 'user_name', 'equal', 'ada', true],
    ['env_details', 'os', 'equal', 'Linux', true],
  ];
  for (const [source, field, operator, value, expected, type] of cases) {
    it(`${expected ? 'finds' : 'passes over'} ${source} ${field} ${operator} ${JSON.stringify(value)}${type === undefined ? '' : ` as ${type}`}`, () => {
      expect(matches(one(source, field, operator, value, type), experiment)).to.equal(expected);
      expect(
        matchesAll(
          [
            predicate(
              source,
              group('AND', [rule(field, operator, value, type === undefined ? {} : { type })]),
            ),
          ],
          experiment,
        ),
      ).to.equal(expected);
    });
  }

  describe('on a value the experiment lacks', () => {
    const none = facts({});
    const lacking: readonly (readonly [boolean, readonly (readonly [string, unknown])[]])[] = [
      [
        false,
        [
          ['equal', 1],
          ['less', 1],
          ['less_or_equal', 1],
          ['greater', 1],
          ['greater_or_equal', 1],
          ['between', ['0', '1']],
          ['contains', ''],
          ['begins_with', ''],
          ['ends_with', ''],
          ['is_not_null', null],
          ['is_empty', null],
          ['is_not_empty', null],
        ],
      ],
      [
        true,
        [
          ['not_equal', 1],
          ['not_between', ['0', '1']],
          ['not_contains', 'a'],
          ['not_begins_with', 'a'],
          ['not_ends_with', 'a'],
          ['is_null', null],
        ],
      ],
    ];
    for (const [expected, operators] of lacking) {
      for (const [operator, value] of operators) {
        it(`${operator} is ${expected}`, () => {
          expect(matches(one('metrics', 'missing', operator, value), none)).to.equal(expected);
        });
      }
    }
  });

  it('looks at the source that a rule names and at no other', () => {
    const only = facts({ metric: { x: 1 } });

    expect(
      ['metrics', 'params', 'log_other', 'env_details'].map((source) =>
        matches(one(source, 'x', 'equal', 1), only),
      ),
    ).to.deep.equal([true, false, false, false]);
  });
});

describe('a rule that ignores case', () => {
  for (const [operator, value, holds] of [
    ['equal', 'RESNET-50', true],
    ['equal', 'resnet', false],
    ['contains', 'SNET', true],
    ['not_contains', 'snet', false],
    ['begins_with', 'res', true],
    ['ends_with', 'NET-50', true],
    ['ends_with', 'net', false],
  ] as const) {
    it(`${holds ? 'holds' : 'does not hold'} for ${operator} ${value}`, () => {
      expect(
        matches(
          group('AND', [
            rule('name', operator, value, { source: 'params', type: 'string', ignoreCase: true }),
          ]),
          experiment,
        ),
      ).to.equal(holds);
    });
  }
});

describe('predicates', () => {
  it('must all hold, and none of them means every experiment', () => {
    const low = predicate('metrics', group('AND', [rule('loss', 'less', 1)]));
    const named = (name: string) =>
      predicate('params', group('AND', [rule('name', 'equal', name)]));

    expect(matchesAll([low, named('ResNet-50')], experiment)).to.equal(true);
    expect(matchesAll([low, named('VGG')], experiment)).to.equal(false);
    expect(matchesAll([], experiment)).to.equal(true);
  });

  it('are not inverted once more when they are negated', () => {
    expect(
      matchesAll(
        [predicate('metrics', group('AND', [rule('loss', 'not_equal', 0.5)]), true)],
        experiment,
      ),
    ).to.equal(false);
    expect(
      matchesAll(
        [predicate('metrics', group('AND', [rule('loss', 'greater_or_equal', 0.5)]), true)],
        experiment,
      ),
    ).to.equal(true);
  });

  it('hold by one rule of an OR, or by a group within an AND', () => {
    const or = group('OR', [rule('loss', 'less', 0), rule('acc', 'greater', 0.8)]);

    expect(matchesAll([predicate('metrics', or)], experiment)).to.equal(true);
    expect(
      matchesAll(
        [predicate('metrics', group('AND', [rule('loss', 'greater', 0), or]))],
        experiment,
      ),
    ).to.equal(true);
    expect(
      matchesAll([predicate('metrics', group('AND', [rule('loss', 'less', 0), or]))], experiment),
    ).to.equal(false);
  });

  it('of the source nested take each rule by its own source', () => {
    const nested = (lr: number) =>
      predicate(
        'nested',
        group('OR', [
          rule('loss', 'less', 0, { source: 'metrics' }),
          rule('lr', 'equal', lr, { source: 'params' }),
        ]),
      );

    expect(matchesAll([nested(0.1)], experiment)).to.equal(true);
    expect(matchesAll([nested(0.2)], experiment)).to.equal(false);
  });

  it('take a rule that lost its source by its name, whatever the kind', () => {
    const lost = (...rules: readonly unknown[]) => [
      predicate(
        'nested',
        group('OR', [group('AND', rules), rule('os', 'equal', 'VMS', { source: 'env_details' })]),
      ),
    ];

    expect(
      matchesAll(lost(rule('loss', 'less', 1), rule('acc', 'greater', 0.8)), experiment),
    ).to.equal(true);
    expect(
      matchesAll(lost(rule('loss', 'less', 1), rule('acc', 'greater', 0.95)), experiment),
    ).to.equal(false);
    expect(matchesAll(lost(rule('name', 'not_equal', 'ResNet-50')), experiment)).to.equal(false);
    expect(matchesAll(lost(rule('best', 'equal', 'best')), experiment)).to.equal(true);
    expect(
      matchesAll(lost(rule('duration', 'equal', 120, { type: 'timenumber' })), experiment),
    ).to.equal(true);
  });
});

describe('rulesTree', () => {
  it('of several sources holds as its groups say', () => {
    const tree = (acc: number) =>
      group('OR', [
        group('AND', [rule('loss', 'less', 0, { source: 'metrics' })]),
        group('AND', [
          rule('acc', 'greater', acc, { source: 'metrics' }),
          rule('best', 'equal', 'best', { source: 'tag' }),
        ]),
      ]);

    expect(matches(tree(0.8), experiment)).to.equal(true);
    expect(matches(tree(0.99), experiment)).to.equal(false);
  });

  it('takes the source of a group for rules that name none', () => {
    expect(
      matches(
        group('OR', [group('AND', [rule('loss', 'equal', 0.5)], { source: 'metrics' })]),
        experiment,
      ),
    ).to.equal(true);
    expect(
      matches(
        group('OR', [group('AND', [rule('loss', 'equal', 0.5)], { source: 'params' })]),
        experiment,
      ),
    ).to.equal(false);
  });

  it('that is missing or without rules means every experiment', () => {
    for (const tree of [undefined, null, { rules: [] }, group('OR', [])])
      expect(matches(tree, experiment)).to.equal(true);
  });

  const deep = (groups: number): unknown =>
    groups === 0
      ? rule('loss', 'equal', 0.5, { source: 'metrics' })
      : group('AND', [deep(groups - 1)]);

  it('may be 64 groups deep and no more', () => {
    expect(matches(deep(64), experiment)).to.equal(true);
    refuses(() => translateRulesTree(deep(65)), 'rules must be at most 64 groups deep');
    refuses(
      () => translatePredicates([predicate('metrics', deep(65))]),
      'rules must be at most 64 groups deep',
    );
  });

  it('may have 100 rules and no more, also over several predicates', () => {
    const rules = (count: number) =>
      group(
        'AND',
        Array.from({ length: count }, () => rule('loss', 'equal', 0.5, { source: 'metrics' })),
      );

    expect(matches(rules(100), experiment)).to.equal(true);
    refuses(() => translateRulesTree(rules(101)), 'rules must be at most 100');
    refuses(
      () => translatePredicates([predicate('metrics', rules(60)), predicate('metrics', rules(41))]),
      'rules must be at most 100',
    );
  });
});

describe('nonsense in a query', () => {
  const nonsense: readonly (readonly [unknown, string])[] = [
    [one('log_other', 'Name', 'matches', 'a'), 'operator "matches" of Name is unknown'],
    [[], 'rulesTree must be an object'],
    [{}, 'field of a rule must be a name'],
    [group('XOR', [rule('x', 'equal', 1)]), 'condition of a group must be AND or OR'],
    [group('AND', ['x']), 'a rule must be an object'],
    [{ condition: 'AND' }, 'rules must be a list'],
    [one('metric', 'x', 'equal', 1), 'source "metric" is unknown'],
    [one('metrics', '', 'equal', 1), 'field of a rule must be a name'],
    [one('metrics', 'x', 'like', 1), 'operator "like" of x is unknown'],
    [one('metrics', 'x', 'constructor', 1), 'operator "constructor" of x is unknown'],
    [group('AND', [{ field: 'x', source: 'metrics' }]), 'operator of x must be a word'],
    [one('metrics', 'x', 'equal', 1, 'colour'), 'type "colour" of a rule is unknown'],
    [one('metrics', 'x', 'equal', null), 'value null of a rule must be a text or a number'],
    [one('metrics', 'x', 'equal', { a: 1 }), 'value {"a":1} of a rule must be a text or a number'],
    [one('metrics', 'x', 'less', 'high', 'double'), 'value "high" of x must be a number'],
    [
      one('metrics', 'x', 'between', ['1'], 'double'),
      'value of a range on x must be a list of two',
    ],
    [one('metrics', 'x', 'between', 3, 'double'), 'value of a range on x must be a list of two'],
    [
      one('metrics', 'x', 'between', ['1', 'nan'], 'double'),
      'value "nan" of a range must be a number',
    ],
    [one('params', 'x', 'contains', ['a']), 'value ["a"] of a rule must be a text or a number'],
    [one('metadata', 'colour', 'equal', 'red'), 'metadata "colour" is unknown'],
    [one('metadata', 'hasNotes', 'equal', 2, 'boolean'), 'value 2 of a boolean must be 1 or 0'],
    [one('metadata', 'hasNotes', 'less', 1, 'boolean'), 'hasNotes is a boolean and has no order'],
    [
      one('metadata', 'last_message_time', 'less', '2024-02-30 00:00:00', 'datetime'),
      'value "2024-02-30 00:00:00" must be a time as YYYY-MM-DD HH:MM:SS',
    ],
    [
      one('metadata', 'last_message_time', 'less', 'yesterday', 'datetime'),
      'value "yesterday" must be a time as YYYY-MM-DD HH:MM:SS',
    ],
  ];
  for (const [tree, message] of nonsense) {
    it(`is refused: ${message}`, () => refuses(() => translateRulesTree(tree), message));
  }

  it('is refused in predicates: what is no list, no object or of an unknown source', () => {
    refuses(() => translatePredicates({}), 'predicates must be a list');
    refuses(() => translatePredicates([null]), 'a predicate must be an object');
    refuses(
      () => translatePredicates([{ source: 'metrics' }]),
      'the query of a predicate must be an object',
    );
    refuses(
      () => translatePredicates([predicate('colours', group('AND', []))]),
      'source "colours" is unknown',
    );
  });

  it('never brings anything but a condition or a refusal', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        for (const translate of [translateRulesTree, translatePredicates]) {
          try {
            satisfies(translate(value), experiment);
          } catch (error) {
            expect(isFailure(error) && error.kind).to.equal('invalid');
          }
        }
      }),
    );
  });
});
