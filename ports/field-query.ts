// How records of the private wire are filtered and sorted: claims about single fields, already judged and typed. Stores never see a user's text.

export type TextOperator =
  'equals' | 'differs' | 'contains' | 'notContains' | 'startsWith' | 'endsWith' | 'above' | 'below';
export type OrderOperator = 'equals' | 'differs' | 'above' | 'atLeast' | 'below' | 'atMost';
export type ListOperator = 'equals' | 'differs' | 'contains' | 'notContains';

/**
 * One claim. Texts are compared without regard to case, unless the field is exact; `differs` and `notContains` hold where there is no value.
 * Numbers are compared with numeric values alone. Of a list `equals` asks for an element, `contains` for a part of one, in any case.
 */
export type FieldFilter = {
  readonly field: string;
  /** A score's name, or what names the place within a field that holds JSON. */
  readonly key?: string;
  /** That place: members and indexes from outside in. */
  readonly path?: readonly (string | number)[];
} & (
  | { readonly is: 'text'; readonly operator: TextOperator; readonly value: string }
  | {
      /** Instants are microseconds since 1970. */
      readonly is: 'number' | 'instant';
      readonly operator: OrderOperator;
      readonly value: number;
    }
  | { readonly is: 'list'; readonly operator: ListOperator; readonly value: string }
  | {
      readonly is: 'words';
      readonly operator: 'in' | 'notIn';
      readonly value: readonly string[];
    }
  | { readonly is: 'presence'; readonly operator: 'isEmpty' | 'isNotEmpty' }
);

/** Records without a value come last in both directions. */
export interface FieldOrder {
  readonly field: string;
  readonly key?: string;
  readonly path?: readonly (string | number)[];
  readonly descending: boolean;
}
