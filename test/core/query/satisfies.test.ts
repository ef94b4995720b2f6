import { expect } from 'chai';
import fc from 'fast-check';
import {
  findKind,
  findMetadataType,
  nameColumn,
  occasionalColumns,
  otherColumns,
  sources,
  steadyColumns,
} from '#core/experiments/query/columns';
import { satisfies, type Fact, type Facts } from '#core/experiments/query/satisfies';
import type { Comparison, Condition, SubjectKind } from '#ports/query';
import { claimsOver } from '#test/contract/storage/claims';

const kind = fc.constantFrom<SubjectKind>(
  'metric',
  'parameter',
  'other',
  'tag',
  'metadata',
  'environment',
);
const name = fc.constantFrom('a', 'b');
const text = fc.constantFrom('', 'a', 'B', 'ab', '1', 'é', '\uffff', '\u{1f600}');
const number = fc.oneof(
  fc.constantFrom(0, -0, 1, 2, Infinity, -Infinity),
  fc.double({ noNaN: true }),
);
const instant = fc.integer({ min: 0, max: 10 });

const claims = claimsOver({ text, number, instant, boolean: fc.boolean() });
const comparison: fc.Arbitrary<Comparison> = fc
  .tuple(fc.record({ kind, name }), claims)
  .map(([subject, claim]) => ({ type: 'comparison' as const, subject, ...claim }));

const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    comparison,
    fc.record({
      type: fc.constantFrom('all' as const, 'any' as const),
      of: fc.array(tie('condition'), { maxLength: 3 }),
    }),
    fc.record({ type: fc.constant('not' as const), of: tie('condition') }),
  ),
}));

const fact: fc.Arbitrary<Fact> = fc.oneof(
  fc.record({ text }),
  fc.double().map((value) => ({ text: String(value), number: value })),
  fc.record({ boolean: fc.boolean() }),
  fc.record({ instant }),
);
const facts: fc.Arbitrary<Facts> = fc.dictionary(
  kind,
  fc.array(fc.tuple(name, fact), { maxLength: 2 }).map((pairs) => new Map(pairs)),
);

const not = (of: Condition): Condition => ({ type: 'not', of });
const claimOn = (claim: Record<string, unknown>): Condition =>
  ({ type: 'comparison', subject: { kind: 'other', name: 'x' }, ...claim }) as Condition; // built by the cases below
const having = (value: Fact): Facts => ({ other: new Map([['x', value]]) });

describe('conditions', () => {
  it('and their complements divide all experiments between them', () => {
    fc.assert(
      fc.property(
        condition,
        facts,
        (asked, experiment) => satisfies(not(asked), experiment) === !satisfies(asked, experiment),
      ),
    );
  });

  it('turn into their complement by the laws of De Morgan', () => {
    fc.assert(
      fc.property(fc.array(condition, { maxLength: 3 }), facts, (of, experiment) => {
        expect(satisfies(not({ type: 'all', of }), experiment)).to.equal(
          satisfies({ type: 'any', of: of.map(not) }, experiment),
        );
        expect(satisfies(not({ type: 'any', of }), experiment)).to.equal(
          satisfies({ type: 'all', of: of.map(not) }, experiment),
        );
      }),
    );
  });

  it('that compare are false of an experiment without values', () => {
    fc.assert(fc.property(comparison, (claim) => !satisfies(claim, {})));
  });

  it('that ask for less, the same or more are true of exactly one for numbers, and of none for what is no number', () => {
    fc.assert(
      fc.property(
        number.map((value) => ({ type: 'number' as const, number: value })),
        fact,
        (operand, value) => {
          const holding = ['below', 'equals', 'above'].filter((operator) =>
            satisfies(claimOn({ operator, operand }), having(value)),
          );
          expect(holding.length).to.equal(
            value.number === undefined || Number.isNaN(value.number) ? 0 : 1,
          );
        },
      ),
    );
  });

  it('order texts by code points, so that what lies beyond the first plane comes last', () => {
    const below = (operand: string) =>
      claimOn({ operator: 'below', operand: { type: 'text', text: operand } });

    expect(satisfies(below('\u{1f600}'), having({ text: '\uffff' }))).to.equal(true);
    expect(satisfies(below('\uffff'), having({ text: '\u{1f600}' }))).to.equal(false);
    expect(satisfies(below('ab'), having({ text: 'a' }))).to.equal(true);
    expect(satisfies(below('a'), having({ text: 'ab' }))).to.equal(false);
  });

  it('take an empty range for one without values', () => {
    const range = claimOn({
      operator: 'between',
      low: { type: 'number', number: 2 },
      high: { type: 'number', number: 1 },
    });

    expect(
      [0, 1, 1.5, 2, 3].filter((value) => satisfies(range, having({ number: value }))),
    ).to.deep.equal([]);
  });

  it('of all of nothing are true, of any of nothing false', () => {
    expect(satisfies({ type: 'all', of: [] }, {})).to.equal(true);
    expect(satisfies({ type: 'any', of: [] }, {})).to.equal(false);
  });
});

describe('columns', () => {
  it('have ids of their name and source, each once', () => {
    const ids = [...steadyColumns, ...occasionalColumns, ...otherColumns].map(nameColumn);

    expect(ids).to.include.members([
      'duration--metadata',
      'hasCrashed--metadata',
      'Name--log_other',
    ]);
    expect(new Set(ids).size).to.equal(ids.length);
  });

  it('of metadata know their type, and no other name has one', () => {
    expect(findMetadataType('duration')).to.equal('timenumber');
    expect(findMetadataType('last_message_time')).to.equal('datetime');
    expect(findMetadataType('toString')).to.equal(undefined);
  });

  it('name every kind by one source, which leads back to it', () => {
    expect(Object.values(sources).map(findKind)).to.deep.equal(Object.keys(sources));
    expect(findKind('nested')).to.equal(undefined);
  });
});
