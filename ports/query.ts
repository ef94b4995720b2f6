/** What a comparison looks at: one named value of an experiment. */
export interface Subject {
  /**
   * `metric` is a metric's last value; `tag` a tag, whose value is its own name; `metadata` one of the columns that the server
   * keeps itself; `environment` a system detail. Parameters, others and metrics with a context are named with its prefix.
   */
  readonly kind: SubjectKind;
  /** Compared exactly, capitals too. */
  readonly name: string;
}
export type SubjectKind = 'metric' | 'parameter' | 'other' | 'tag' | 'metadata' | 'environment';

export interface TextOperand {
  readonly type: 'text';
  readonly text: string;
}
/** Finite or infinite, never `NaN`. Durations are seconds. */
export interface NumberOperand {
  readonly type: 'number';
  readonly number: number;
}
export interface BooleanOperand {
  readonly type: 'boolean';
  readonly boolean: boolean;
}
export interface InstantOperand {
  readonly type: 'instant';
  /** Milliseconds since the Unix epoch. */
  readonly instant: number;
}
export type OrderedOperand = TextOperand | NumberOperand | InstantOperand;

/**
 * A claim about one value. It is true only of an experiment that has the value, in the type of the operand: a number is compared
 * with numeric values alone, so `below 3` is false of the text `abc` and of `NaN`. A logged number has a text as well, the one it
 * was logged with, and is compared by it when the operand is a text. There is no negative operator; `not` around a claim gives
 * its exact complement, which experiments without the value satisfy.
 */
export type Comparison = {
  readonly type: 'comparison';
  readonly subject: Subject;
} & (
  | {
      /** `present`: there is a value, an empty text too. `filled`: there is one, and it is not the empty text. */
      readonly operator: 'present' | 'filled';
    }
  | {
      /** The same text, capitals and blanks included; the same number, boolean or millisecond. */
      readonly operator: 'equals';
      readonly operand: OrderedOperand | BooleanOperand;
      /** Texts that differ in capitals only are the same, as far as the database folds them. */
      readonly ignoreCase?: boolean;
    }
  | {
      /** Numbers by size, instants by time, texts by their code points. `atMost` and `atLeast` include equality. */
      readonly operator: 'below' | 'atMost' | 'above' | 'atLeast';
      readonly operand: OrderedOperand;
    }
  | {
      /** Both ends belong to the range; with `low` above `high` it is empty. Both operands are of one type. */
      readonly operator: 'between';
      readonly low: NumberOperand | InstantOperand;
      readonly high: NumberOperand | InstantOperand;
    }
  | {
      /** Plain text, no pattern; capitals matter, as they do in the strings of the languages that ask. The empty text is in every text. */
      readonly operator: 'contains' | 'startsWith' | 'endsWith';
      readonly operand: TextOperand;
      /** As of `equals`. */
      readonly ignoreCase?: boolean;
    }
);

/** Which experiments are meant. `all` of nothing is true of every experiment, `any` of nothing of none. */
export type Condition =
  | { readonly type: 'all'; readonly of: readonly Condition[] }
  | { readonly type: 'any'; readonly of: readonly Condition[] }
  | { readonly type: 'not'; readonly of: Condition }
  /** Experiments that were found already, by their ids; of any number. No client asks so. */
  | { readonly type: 'among'; readonly ids: readonly string[] }
  | Comparison;
