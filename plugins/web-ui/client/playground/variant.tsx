// One variant of a prompt: a model, messages, settings, and what the model answered.
import { useState } from 'preact/hooks';
import { formatCount } from '../../pure/format.js';
import {
  messagesOfTemplate,
  roles,
  settingNames,
  type Variant,
  type WrittenMessage,
} from '../../pure/playground.js';
import { checkTemplate } from '../../pure/prompts.js';
import { formatDuration } from '../../pure/trace-values.js';
import { attempt } from '../attempt.js';
import { promptsServer } from '../evaluating-server.js';
import { useLoaded } from '../loading.js';
import { Asks } from '../shell/form.js';
import { Markdown } from '../told/markdown.js';
import type { Answering } from './answers.js';
import { Fault } from '../shell/wait.js';

const Message = ({
  of,
  label,
  onChange,
  onRemove,
}: {
  of: WrittenMessage;
  label: string;
  onChange: (message: WrittenMessage) => void;
  onRemove: (() => void) | undefined;
}) => (
  <div class="message">
    <p class="controls">
      <select
        aria-label={`Role of ${label}`}
        value={of.role}
        onChange={({ currentTarget }) => onChange({ ...of, role: currentTarget.value })}
      >
        {[...new Set([...roles, of.role])].map((role) => (
          <option key={role} value={role}>
            {role}
          </option>
        ))}
      </select>
      {onRemove === undefined ? null : (
        <button type="button" class="quiet" aria-label={`Remove ${label}`} onClick={onRemove}>
          ×
        </button>
      )}
    </p>
    <textarea
      aria-label={`Text of ${label}`}
      rows={Math.min(16, Math.max(3, of.text.split('\n').length))}
      dir="auto"
      placeholder="Text, with {{names}} where something is filled in"
      value={of.text}
      onInput={({ currentTarget }) => onChange({ ...of, text: currentTarget.value })}
    />
  </div>
);

const Messages = ({
  of: { messages },
  label,
  onChange,
}: {
  of: Variant;
  label: string;
  onChange: (messages: readonly WrittenMessage[]) => void;
}) => (
  <>
    {messages.map((one, at) => (
      <Message
        key={at}
        of={one}
        label={`message ${at + 1} of ${label}`}
        onChange={(now) => onChange(messages.map((other, place) => (place === at ? now : other)))}
        onRemove={
          messages.length === 1
            ? undefined
            : () => onChange(messages.filter((_, place) => place !== at))
        }
      />
    ))}
    <button
      type="button"
      aria-label={`Add a message to ${label}`}
      onClick={() =>
        onChange([
          ...messages,
          { role: messages.at(-1)?.role === 'user' ? 'assistant' : 'user', text: '' },
        ])
      }
    >
      + Message
    </button>
  </>
);

const Settings = ({
  of,
  label,
  onChange,
}: {
  of: Variant;
  label: string;
  onChange: (settings: Variant['settings']) => void;
}) => (
  <details>
    <summary>
      Settings{' '}
      <span class="faint">
        {settingNames
          .filter((name) => (of.settings[name] ?? '') !== '')
          .map((name) => `${name} ${of.settings[name]}`)
          .join(', ')}
      </span>
    </summary>
    <div class="controls">
      {settingNames.map((name) => (
        <label key={name}>
          {name.replaceAll('_', ' ')}{' '}
          <input
            inputMode="decimal"
            size={6}
            aria-label={`${name.replaceAll('_', ' ')} of ${label}`}
            value={of.settings[name] ?? ''}
            onInput={({ currentTarget }) =>
              onChange({ ...of.settings, [name]: currentTarget.value })
            }
          />
        </label>
      ))}
    </div>
  </details>
);

/** Takes the newest version of a prompt. */
export const takePrompt = async (
  id: string,
  commit: string | undefined,
): Promise<Pick<Variant, 'messages' | 'from'>> => {
  const [prompt, { content }] = await Promise.all([
    promptsServer.show({ params: { id }, query: {} }),
    promptsServer.versions({ params: { id }, query: { size: 500 } }),
  ]);
  const version = commit === undefined ? content[0] : content.find((one) => one.commit === commit);
  if (version === undefined)
    throw new Error(
      commit === undefined ? 'the prompt has no version' : `the prompt has no version ${commit}`,
    );
  const messages = messagesOfTemplate(version.template, version.template_structure);
  return {
    messages,
    from: {
      ...{ id: version.id, commit: version.commit, messages },
      ...{ promptId: id, promptName: prompt.name },
    },
  };
};

const mostPrompts = 200;
const Prompts = ({
  of,
  label,
  onTake,
}: {
  of: Variant;
  label: string;
  onTake: (taken: Pick<Variant, 'messages' | 'from'>) => void;
}) => {
  const { value, fault } = useLoaded(
    (signal) => promptsServer.list({ query: { size: mostPrompts } }, signal),
    [],
  );
  if (fault !== undefined) return <Fault of={fault} />;
  if ((value?.content.length ?? 0) === 0) return null;
  return (
    <select
      aria-label={`Prompt of ${label}`}
      value=""
      onChange={({ currentTarget: { value: id } }) =>
        attempt(takePrompt(id, undefined).then(onTake))
      }
    >
      <option value="">
        {of.from === undefined ? 'Take a prompt …' : `from ${of.from.promptName} ${of.from.commit}`}
      </option>
      {value?.content.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
};

const Keep = ({ of, label }: { of: Variant; label: string }) => (
  <Asks
    verb="Keep as a prompt"
    label={`Keep as a prompt: ${label}`}
    send="Keep it"
    says="The messages are a version of the prompt now"
    onSend={async (field) => {
      const template = JSON.stringify(
        of.messages.map(({ role, text }) => ({ role, content: text })),
      );
      await promptsServer.addVersion({
        body: {
          name: field('name'),
          template_structure: 'chat',
          version: { template: checkTemplate(template, 'chat') },
        },
      });
    }}
  >
    <label>
      Name; a chat prompt of this name gets another version
      <input name="name" required maxLength={250} defaultValue={of.from?.promptName ?? ''} />
    </label>
  </Asks>
);

const Answer = ({ of, label }: { of: Answering | undefined; label: string }) => {
  const [plain, setPlain] = useState(false);
  if (of === undefined) return null;
  const { answer, fault, busy, tookMs } = of;
  const facts = [
    busy ? 'answering …' : '',
    tookMs === undefined ? '' : formatDuration(tookMs),
    answer.tokens === undefined ? '' : `${formatCount(answer.tokens)} tokens`,
    answer.ended === undefined || answer.ended === 'stop' ? '' : `ended by ${answer.ended}`,
  ].filter((one) => one !== '');
  return (
    <section class="answer" aria-label={`Answer of ${label}`} aria-busy={busy}>
      {plain || busy ? (
        <p class="notes" dir="auto">
          {answer.text}
        </p>
      ) : (
        <Markdown text={answer.text} />
      )}
      {fault === undefined ? null : (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
      <p class="controls faint">
        {facts.join(' · ')}
        {answer.text === '' ? null : (
          <button
            type="button"
            class="quiet"
            aria-pressed={plain}
            aria-label={`As it came, the answer of ${label}`}
            onClick={() => setPlain(!plain)}
          >
            As it came
          </button>
        )}
      </p>
    </section>
  );
};

export const VariantCard = ({
  of,
  label,
  answer,
  onChange,
  onRun,
  onRemove,
}: {
  of: Variant;
  label: string;
  answer: Answering | undefined;
  onChange: (variant: Variant) => void;
  onRun: () => void;
  onRemove: (() => void) | undefined;
}) => (
  <section class="variant" aria-label={label}>
    <p class="controls">
      <b>{label}</b>
      <input
        class="model"
        list="known-models"
        aria-label={`Model of ${label}`}
        placeholder="model, such as gpt-4o-mini"
        autocomplete="off"
        spellcheck={false}
        value={of.model}
        onInput={({ currentTarget }) => onChange({ ...of, model: currentTarget.value })}
      />
      <button type="button" class="main" aria-label={`Run ${label}`} onClick={onRun}>
        Run
      </button>
      {onRemove === undefined ? null : (
        <button type="button" class="quiet" aria-label={`Remove ${label}`} onClick={onRemove}>
          ×
        </button>
      )}
    </p>
    <Messages of={of} label={label} onChange={(messages) => onChange({ ...of, messages })} />
    <Settings of={of} label={label} onChange={(settings) => onChange({ ...of, settings })} />
    <p class="controls">
      <Prompts of={of} label={label} onTake={(taken) => onChange({ ...of, ...taken })} />
      <Keep of={of} label={label} />
    </p>
    <Answer of={answer} label={label} />
  </section>
);
