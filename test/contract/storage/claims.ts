// Every claim that a condition of a search can make, over the values handed in.
import fc from 'fast-check';

interface Values<T, N, I, B> {
  readonly text: fc.Arbitrary<T>;
  readonly number: fc.Arbitrary<N>;
  readonly instant: fc.Arbitrary<I>;
  readonly boolean: fc.Arbitrary<B>;
}

/** Claims over such texts, numbers, instants and booleans. */
export const claimsOver = <T, N, I, B>(values: Values<T, N, I, B>) => {
  const ofText = values.text.map((text) => ({ type: 'text' as const, text }));
  const ofNumber = values.number.map((number) => ({ type: 'number' as const, number }));
  const ofInstant = values.instant.map((instant) => ({ type: 'instant' as const, instant }));
  const ofBoolean = values.boolean.map((boolean) => ({ type: 'boolean' as const, boolean }));
  const ignoreCase = fc.constantFrom({}, { ignoreCase: true as const });
  const ordered = fc.oneof(ofText, ofNumber, ofInstant);
  return fc.oneof(
    fc.record({ operator: fc.constantFrom('present' as const, 'filled' as const) }),
    fc
      .record({ operator: fc.constant('equals' as const), operand: fc.oneof(ordered, ofBoolean) })
      .chain((claim) =>
        claim.operand.type === 'text'
          ? ignoreCase.map((more) => ({ ...claim, ...more }))
          : fc.constant(claim),
      ),
    fc.record({
      operator: fc.constantFrom(
        'below' as const,
        'atMost' as const,
        'above' as const,
        'atLeast' as const,
      ),
      operand: ordered,
    }),
    fc.record({ operator: fc.constant('between' as const), low: ofNumber, high: ofNumber }),
    fc.record({ operator: fc.constant('between' as const), low: ofInstant, high: ofInstant }),
    fc
      .record({
        operator: fc.constantFrom('contains' as const, 'startsWith' as const, 'endsWith' as const),
        operand: ofText,
      })
      .chain((claim) => ignoreCase.map((more) => ({ ...claim, ...more }))),
  );
};
