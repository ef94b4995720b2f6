// What an alert tells of: events, and the thresholds that figures are compared with.
import {
  eventTypes,
  eventWords,
  isMetric,
  isOfScores,
  isEventType,
  usualCondition,
  usualTrigger,
  windows,
  windowWord,
  type ConditionDraft,
  type EventType,
  type TriggerDraft,
} from '../../pure/alerts.js';

const replaced = <T,>(all: readonly T[], at: number, by: T | undefined): readonly T[] =>
  all.flatMap((one, place) => (place === at ? (by === undefined ? [] : [by]) : [one]));

const Condition = ({
  event,
  of,
  at,
  onChange,
}: {
  event: EventType;
  of: ConditionDraft;
  at: number;
  onChange: (condition: ConditionDraft | undefined) => void;
}) => {
  const label = `${eventWords[event]}, condition ${at + 1}`;
  return (
    <li>
      <div class="controls" role="group" aria-label={label}>
        {at === 0 ? null : (
          <select
            aria-label={`How ${label} goes with the one above`}
            value={of.joins ? 'and' : 'or'}
            onChange={({ currentTarget: { value } }) => onChange({ ...of, joins: value === 'and' })}
          >
            <option value="or">or</option>
            <option value="and">and</option>
          </select>
        )}
        {isOfScores(event) ? (
          <input
            aria-label="Name of the score"
            placeholder="name of the score"
            maxLength={150}
            value={of.name}
            onInput={({ currentTarget }) => onChange({ ...of, name: currentTarget.value })}
          />
        ) : null}
        {isOfScores(event) ? (
          <select
            aria-label="Above or below"
            value={of.operator}
            onChange={({ currentTarget: { value } }) =>
              onChange({ ...of, operator: value === '<' ? '<' : '>' })
            }
          >
            <option value="&lt;">below</option>
            <option value="&gt;">above</option>
          </select>
        ) : (
          <span>above</span>
        )}
        <input
          aria-label="Threshold"
          inputMode="decimal"
          size={8}
          value={of.threshold}
          onInput={({ currentTarget }) => onChange({ ...of, threshold: currentTarget.value })}
        />
        <span>in the last</span>
        <select
          aria-label="Window"
          value={of.window}
          onChange={({ currentTarget }) => onChange({ ...of, window: currentTarget.value })}
        >
          {[...new Set([...Object.keys(windows), of.window])].map((seconds) => (
            <option key={seconds} value={seconds}>
              {windowWord(seconds)}
            </option>
          ))}
        </select>
        <button
          type="button"
          class="quiet"
          aria-label={`Remove ${label}`}
          onClick={() => onChange(undefined)}
        >
          ×
        </button>
      </div>
    </li>
  );
};

const Conditions = ({
  of,
  onChange,
}: {
  of: TriggerDraft;
  onChange: (trigger: TriggerDraft) => void;
}) => (
  <>
    <ol class="plain-list">
      {of.conditions.map((one, at) => (
        <Condition
          key={at}
          event={of.event}
          of={one}
          at={at}
          onChange={(condition) =>
            onChange({ ...of, conditions: replaced(of.conditions, at, condition) })
          }
        />
      ))}
    </ol>
    {of.conditions.length === 0 ? <p class="fault">Without a condition it never tells.</p> : null}
    <button
      type="button"
      aria-label={`Add a condition for ${eventWords[of.event]}`}
      onClick={() => onChange({ ...of, conditions: [...of.conditions, usualCondition(of.event)] })}
    >
      + Condition
    </button>
  </>
);

export const Triggers = ({
  of,
  onChange,
}: {
  of: readonly TriggerDraft[];
  onChange: (triggers: readonly TriggerDraft[]) => void;
}) => {
  const left = eventTypes.filter((name) => !of.some(({ event }) => event === name));
  return (
    <section aria-label="What it tells of">
      <h2>What it tells of</h2>
      {of.map((one, at) => {
        const change = (trigger: TriggerDraft | undefined) => onChange(replaced(of, at, trigger));
        return (
          <fieldset key={one.event} class="trigger">
            <legend>{eventWords[one.event]}</legend>
            {isMetric(one.event) ? <Conditions of={one} onChange={change} /> : null}
            {one.event === 'trace:guardrails_triggered' ? (
              <input
                class="grows"
                aria-label="Guardrails"
                placeholder="all guardrails, or names with commas between them"
                value={one.guardrails}
                onInput={({ currentTarget }) => change({ ...one, guardrails: currentTarget.value })}
              />
            ) : null}{' '}
            <button
              type="button"
              class="quiet"
              aria-label={`Remove ${eventWords[one.event]}`}
              onClick={() => change(undefined)}
            >
              Remove
            </button>
          </fieldset>
        );
      })}
      {left.length === 0 ? null : (
        <select
          aria-label="Tell of more"
          value=""
          onChange={({ currentTarget }) => {
            if (isEventType(currentTarget.value))
              onChange([...of, usualTrigger(currentTarget.value)]);
            currentTarget.value = '';
          }}
        >
          <option value="">+ tell of …</option>
          {left.map((name) => (
            <option key={name} value={name}>
              {eventWords[name]}
            </option>
          ))}
        </select>
      )}
    </section>
  );
};
