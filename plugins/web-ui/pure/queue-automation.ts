// What adds items to an annotation queue by itself, as a form shows it and as it is sent. Pure.

export const scoreOperators = { '>': 'above', '<': 'below', '=': 'exactly' } as const;
export type ScoreOperator = keyof typeof scoreOperators;
export const isScoreOperator = (text: string): text is ScoreOperator =>
  Object.hasOwn(scoreOperators, text);

export interface ConditionDraft {
  readonly name: string;
  readonly operator: ScoreOperator;
  /** As it is written. */
  readonly value: string;
}
export interface AutomationDraft {
  readonly enabled: boolean;
  /** One group must hold, with all of its conditions. */
  readonly groups: readonly (readonly ConditionDraft[])[];
  /** As many items as it adds up to; empty for no bound. */
  readonly most: string;
}

export const emptyCondition: ConditionDraft = { name: '', operator: '<', value: '' };

/** An automation as the server shows it. */
export interface ShownAutomation {
  readonly enabled: boolean;
  readonly conditions?:
    | {
        readonly groups: readonly {
          readonly conditions: readonly {
            readonly score_name: string;
            readonly operator: string;
            readonly value: number;
          }[];
        }[];
      }
    | undefined;
  readonly max_items_in_queue?: number | undefined;
}

export const automationDraft = (of: ShownAutomation | undefined): AutomationDraft => ({
  enabled: of?.enabled ?? false,
  groups: (of?.conditions?.groups ?? []).map(({ conditions }) =>
    conditions.map(({ score_name: name, operator, value }) => ({
      name,
      operator: isScoreOperator(operator) ? operator : '=',
      value: String(value),
    })),
  ),
  most: of?.max_items_in_queue === undefined ? '' : String(of.max_items_in_queue),
});

/** A condition as it is read aloud. */
export const showCondition = ({ name, operator, value }: ConditionDraft): string =>
  `${name} ${operator} ${value}`;

const sentCondition = ({ name, operator, value }: ConditionDraft) => {
  if (name.trim() === '') throw new Error('name the score of each condition');
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number))
    throw new Error(`write the number that ${name.trim()} is compared with`);
  return { score_name: name.trim(), operator, value: number };
};

/** What is sent of it; nothing where a queue never had any and none is written. Throws a sentence where something is missing. */
export const sentAutomation = (draft: AutomationDraft, had: boolean) => {
  const groups = draft.groups
    .filter((group) => group.length > 0)
    .map((group) => ({ conditions: group.map(sentCondition) }));
  if (draft.enabled && groups.length === 0)
    throw new Error('write a condition, or switch off that items come by themselves');
  if (!had && groups.length === 0 && draft.most.trim() === '') return undefined;
  const most = Number(draft.most);
  if (draft.most.trim() !== '' && !(Number.isSafeInteger(most) && most >= 1))
    throw new Error('the most items must be a whole number from 1');
  return {
    enabled: draft.enabled,
    ...(groups.length === 0 ? {} : { conditions: { groups } }),
    ...(draft.most.trim() === ''
      ? { clear_max_items_in_queue: true }
      : { max_items_in_queue: most }),
  };
};
