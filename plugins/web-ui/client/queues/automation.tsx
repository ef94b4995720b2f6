// The part of a queue's form that says what comes into it by itself.
import { useState } from 'preact/hooks';
import {
  automationDraft,
  emptyCondition,
  isScoreOperator,
  scoreOperators,
  type AutomationDraft,
  type ConditionDraft,
} from '../../pure/queue-automation.js';
import type { Queue } from '../reviewing-server.js';

const Condition = ({
  of,
  called,
  onChange,
  onRemove,
}: {
  of: ConditionDraft;
  /** Which one it is, as it is read aloud. */
  called: string;
  onChange: (changes: Partial<ConditionDraft>) => void;
  /** Absent where it is the last, which the server keeps. */
  onRemove: (() => void) | undefined;
}) => (
  <p class="controls condition">
    <input
      aria-label={`Score of ${called}`}
      placeholder="name of a score"
      list="condition-scores"
      maxLength={255}
      dir="auto"
      value={of.name}
      onInput={({ currentTarget }) => onChange({ name: currentTarget.value })}
    />
    <select
      aria-label={`Comparison of ${called}`}
      value={of.operator}
      onChange={({ currentTarget: { value } }) =>
        onChange({ operator: isScoreOperator(value) ? value : '=' })
      }
    >
      {Object.entries(scoreOperators).map(([one, says]) => (
        <option key={one} value={one}>
          {says}
        </option>
      ))}
    </select>
    <input
      aria-label={`Value of ${called}`}
      inputMode="decimal"
      size={6}
      value={of.value}
      onInput={({ currentTarget }) => onChange({ value: currentTarget.value })}
    />
    {onRemove === undefined ? null : (
      <button type="button" aria-label={`Remove ${called}`} onClick={onRemove}>
        Remove
      </button>
    )}
  </p>
);

export const Automation = ({
  of,
  names,
}: {
  of: Queue | undefined;
  /** Scores that are offered. */
  names: readonly string[];
}) => {
  const [draft, setDraft] = useState<AutomationDraft>(() => automationDraft(of?.automation));
  const { enabled, groups, most } = draft;
  const change = (changes: Partial<AutomationDraft>) => setDraft({ ...draft, ...changes });
  const setGroup = (at: number, group: readonly ConditionDraft[]) =>
    change({
      groups: groups
        .map((one, place) => (place === at ? group : one))
        .filter((one) => one.length > 0),
    });
  const count = groups.reduce((sum, group) => sum + group.length, 0);
  const keepsOne = (of?.automation?.conditions?.groups.length ?? 0) > 0 && count === 1;
  return (
    <fieldset class="plain-set">
      <legend>What comes into it by itself</legend>
      <input type="hidden" name="automation" value={JSON.stringify(draft)} />
      <datalist id="condition-scores">
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <label class="check">
        <input
          type="checkbox"
          checked={enabled}
          onChange={({ currentTarget }) =>
            change({
              enabled: currentTarget.checked,
              groups: currentTarget.checked && count === 0 ? [[emptyCondition]] : groups,
            })
          }
        />{' '}
        Add what is scored so
      </label>
      {groups.map((group, at) => (
        <fieldset key={at} class="plain-set">
          <legend>{at === 0 ? 'all of' : 'or all of'}</legend>
          {group.map((one, place) => (
            <Condition
              key={place}
              of={one}
              called={`condition ${place + 1} of group ${at + 1}`}
              onChange={(changes) =>
                setGroup(
                  at,
                  group.map((other, before) =>
                    before === place ? { ...other, ...changes } : other,
                  ),
                )
              }
              onRemove={
                keepsOne
                  ? undefined
                  : () =>
                      setGroup(
                        at,
                        group.filter((_, other) => other !== place),
                      )
              }
            />
          ))}
          <button
            type="button"
            aria-label={`+ Condition in group ${at + 1}`}
            onClick={() => setGroup(at, [...group, emptyCondition])}
          >
            + Condition
          </button>
        </fieldset>
      ))}
      <p class="controls">
        <button type="button" onClick={() => change({ groups: [...groups, [emptyCondition]] })}>
          + Group
        </button>
        <label>
          until the queue holds{' '}
          <input
            inputMode="numeric"
            size={6}
            placeholder="any number of"
            value={most}
            onInput={({ currentTarget }) => change({ most: currentTarget.value })}
          />{' '}
          items
        </label>
      </p>
    </fieldset>
  );
};
