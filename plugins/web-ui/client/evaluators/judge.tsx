// What a model is told and asked for: messages, where their variables come from, and the scores it is to give.
import {
  askedNames,
  judgeRoles,
  outputTypes,
  outputWords,
  ruleTypes,
  type JudgeMessage,
  type JudgeOutput,
  type OutputType,
  type RuleDraft,
} from '../../pure/evaluators.js';
import { Models } from '../playground/models.js';

export interface DraftProps {
  readonly draft: RuleDraft;
  readonly onDraft: (changes: Partial<RuleDraft>) => void;
}

const replaced = <T,>(all: readonly T[], at: number, by: T | undefined): readonly T[] =>
  all.flatMap((one, place) => (place === at ? (by === undefined ? [] : [by]) : [one]));

const isOutputType = (name: string): name is OutputType => outputTypes.some((one) => one === name);

const OneMessage = ({
  of,
  at,
  onChange,
}: {
  of: JudgeMessage;
  at: number;
  onChange: (message: JudgeMessage | undefined) => void;
}) => (
  <div class="message">
    <p class="controls">
      <select
        aria-label={`Role of message ${at + 1}`}
        value={of.role}
        onChange={({ currentTarget }) => onChange({ ...of, role: currentTarget.value })}
      >
        {[...new Set([...judgeRoles, of.role])].map((role) => (
          <option key={role} value={role}>
            {role.toLowerCase()}
          </option>
        ))}
      </select>
      {of.hasParts ? <span class="faint">parts, as a JSON list</span> : null}
      <button
        type="button"
        class="quiet"
        aria-label={`Remove message ${at + 1}`}
        onClick={() => onChange(undefined)}
      >
        ×
      </button>
    </p>
    <textarea
      aria-label={`Text of message ${at + 1}`}
      rows={Math.min(16, Math.max(4, of.text.split('\n').length))}
      dir="auto"
      value={of.text}
      onInput={({ currentTarget }) => onChange({ ...of, text: currentTarget.value })}
    />
  </div>
);

const Messages = ({ draft, onDraft }: DraftProps) => (
  <section aria-label="Messages">
    <h2>Messages</h2>
    {draft.messages.map((one, at) => (
      <OneMessage
        key={at}
        of={one}
        at={at}
        onChange={(message) => onDraft({ messages: replaced(draft.messages, at, message) })}
      />
    ))}
    <button
      type="button"
      onClick={() =>
        onDraft({ messages: [...draft.messages, { role: 'USER', text: '', hasParts: false }] })
      }
    >
      + Message
    </button>
  </section>
);

/** Where the values of names come from. */
export const Paths = ({
  draft: { paths },
  onDraft,
  names,
}: DraftProps & { readonly names: readonly string[] }) =>
  names.length === 0 ? null : (
    <div class="variables">
      {names.map((name) => (
        <label key={name}>
          <span dir="auto">{name} is</span>
          <input
            list="known-paths"
            placeholder="input, output.text, metadata.user …"
            autocomplete="off"
            spellcheck={false}
            value={(Object.hasOwn(paths, name) ? paths[name] : undefined) ?? ''}
            onInput={({ currentTarget: { value } }) =>
              onDraft({ paths: { ...paths, [name]: value } })
            }
          />
        </label>
      ))}
      <datalist id="known-paths">
        {['input', 'output', 'metadata', 'spans'].map((path) => (
          <option key={path} value={path} />
        ))}
      </datalist>
    </div>
  );

const OneOutput = ({
  of,
  at,
  onChange,
}: {
  of: JudgeOutput;
  at: number;
  onChange: (output: JudgeOutput | undefined) => void;
}) => (
  <li class="controls">
    <input
      aria-label={`Name of score ${at + 1}`}
      placeholder="name"
      maxLength={150}
      value={of.name}
      onInput={({ currentTarget }) => onChange({ ...of, name: currentTarget.value })}
    />
    <select
      aria-label={`Kind of score ${at + 1}`}
      value={of.type}
      onChange={({ currentTarget: { value } }) =>
        isOutputType(value) && onChange({ ...of, type: value })
      }
    >
      {outputTypes.map((name) => (
        <option key={name} value={name}>
          {outputWords[name]}
        </option>
      ))}
    </select>
    <input
      class="grows"
      aria-label={`What score ${at + 1} says`}
      placeholder="what it says, for the model"
      maxLength={5000}
      value={of.description}
      onInput={({ currentTarget }) => onChange({ ...of, description: currentTarget.value })}
    />
    <button
      type="button"
      class="quiet"
      aria-label={`Remove score ${at + 1}`}
      onClick={() => onChange(undefined)}
    >
      ×
    </button>
  </li>
);

const Outputs = ({ draft, onDraft }: DraftProps) => (
  <section aria-label="Scores that the model gives">
    <h2>Scores that the model gives</h2>
    <ol class="plain-list">
      {draft.outputs.map((one, at) => (
        <OneOutput
          key={at}
          of={one}
          at={at}
          onChange={(output) => onDraft({ outputs: replaced(draft.outputs, at, output) })}
        />
      ))}
    </ol>
    <button
      type="button"
      onClick={() =>
        onDraft({ outputs: [...draft.outputs, { name: '', type: 'DOUBLE', description: '' }] })
      }
    >
      + Score
    </button>
  </section>
);

export const JudgeFields = (props: DraftProps) => {
  const { draft, onDraft } = props;
  const isOfThreads = ruleTypes[draft.type].scope === 'thread';
  return (
    <>
      <Models />
      <p class="controls">
        <input
          class="grows"
          list="known-models"
          aria-label="Model"
          placeholder="model, such as openai/gpt-4o-mini"
          autocomplete="off"
          spellcheck={false}
          maxLength={500}
          value={draft.model}
          onInput={({ currentTarget }) => onDraft({ model: currentTarget.value })}
        />
        <label>
          temperature{' '}
          <input
            inputMode="decimal"
            size={5}
            value={draft.temperature}
            onInput={({ currentTarget }) => onDraft({ temperature: currentTarget.value })}
          />
        </label>
        <label>
          seed{' '}
          <input
            inputMode="numeric"
            size={8}
            value={draft.seed}
            onInput={({ currentTarget }) => onDraft({ seed: currentTarget.value })}
          />
        </label>
      </p>
      <Messages {...props} />
      {isOfThreads ? (
        <p class="faint">
          <code>{'{{context}}'}</code> is the conversation, as a JSON list of messages.
        </p>
      ) : (
        <Paths {...props} names={askedNames(draft)} />
      )}
      <Outputs {...props} />
    </>
  );
};
