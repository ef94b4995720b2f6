// The form in which a reviewer scores an item: choices, sliders and numbers, each with the key that gives it.
import {
  faultOfScore,
  keysOfField,
  stepOfField,
  type GivenScore,
  type ScoreField,
  type Scores,
} from '../../pure/reviewing.js';

interface FieldProps {
  readonly field: ScoreField;
  readonly given: GivenScore | undefined;
  readonly isAt: boolean;
  readonly disabled: boolean;
  readonly onGive: (score: GivenScore | undefined) => void;
  readonly onAt: () => void;
}

const Choices = ({ field, given, disabled, onGive }: FieldProps) => (
  <div class="choices" role="group" aria-label={field.name}>
    {(field.choices ?? []).map(({ label, value }, at) => {
      const isGiven = given?.value === value && (given.category ?? label) === label;
      return (
        <button
          key={label}
          type="button"
          class="choice"
          aria-pressed={isGiven}
          disabled={disabled}
          dir="auto"
          onClick={({ currentTarget, detail }) => {
            onGive(isGiven ? undefined : { value, category: label, reason: given?.reason });
            // Who points goes on by keys of the page, and not of the button.
            if (detail > 0) currentTarget.blur();
          }}
        >
          {at < 9 ? <kbd>{at + 1}</kbd> : null} {label}
        </button>
      );
    })}
  </div>
);

const Figure = ({ field, given, disabled, onGive }: FieldProps) => {
  const { name, min, max } = field;
  const give = (text: string) =>
    onGive(
      text.trim() === ''
        ? undefined
        : { value: Number(text), category: undefined, reason: given?.reason },
    );
  return (
    <div class="figure">
      {min === undefined || max === undefined ? null : (
        <input
          type="range"
          aria-label={`${name}, by a slider`}
          disabled={disabled}
          min={min}
          max={max}
          step={stepOfField(field)}
          value={given?.value ?? min}
          onInput={({ currentTarget }) => give(currentTarget.value)}
        />
      )}
      <input
        class="value"
        inputMode="decimal"
        aria-label={name}
        disabled={disabled}
        size={6}
        value={given === undefined ? '' : String(given.value)}
        onChange={({ currentTarget }) => give(currentTarget.value)}
      />
    </div>
  );
};

const OneField = (props: FieldProps) => {
  const { field, given, isAt, disabled, onGive, onAt } = props;
  const fault = given === undefined ? undefined : faultOfScore(field, given);
  return (
    <li class={isAt ? 'score-field at' : 'score-field'} onFocusIn={onAt} aria-current={isAt}>
      <p dir="auto">
        <b>{field.name}</b> <span class="faint">{keysOfField(field)}</span>
      </p>
      {field.description === '' ? null : (
        <p class="faint" dir="auto">
          {field.description}
        </p>
      )}
      {field.choices === undefined ? <Figure {...props} /> : <Choices {...props} />}
      <input
        aria-label={`Why ${field.name}`}
        placeholder="why, if you like"
        dir="auto"
        disabled={disabled || given === undefined}
        value={given?.reason ?? ''}
        onInput={({ currentTarget: { value } }) =>
          given && onGive({ ...given, reason: value === '' ? undefined : value })
        }
      />
      {fault === undefined ? null : (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
    </li>
  );
};

export const ScoreFields = ({
  fields,
  scores,
  at,
  disabled,
  onGive,
  onAt,
}: {
  fields: readonly ScoreField[];
  scores: Scores;
  /** The place of the field that keys are for. */
  at: number;
  disabled: boolean;
  onGive: (name: string, score: GivenScore | undefined) => void;
  onAt: (at: number) => void;
}) => (
  <ol class="score-fields" aria-label="Scores that are asked for">
    {fields.map((field, place) => (
      <OneField
        key={field.name}
        field={field}
        given={scores[field.name]}
        isAt={place === at}
        disabled={disabled}
        onGive={(score) => onGive(field.name, score)}
        onAt={() => onAt(place)}
      />
    ))}
  </ol>
);
