// What the playground keeps, sends and reads: variants of a prompt, requests for them, and answers in pieces. Pure.
import { filled, readMessages, variablesOf } from './prompts.js';

export const roles = ['system', 'user', 'assistant'] as const;

export interface WrittenMessage {
  readonly role: string;
  readonly text: string;
}

/** Settings of models that are asked for, each a number. */
export const settingNames = ['temperature', 'top_p', 'max_completion_tokens', 'seed'] as const;
export type SettingName = (typeof settingNames)[number];

/** The version of a prompt that messages were taken from. */
export interface TakenFrom {
  readonly id: string;
  readonly commit: string;
  readonly promptId: string;
  readonly promptName: string;
  /** As they were taken: who changes them tries another prompt. */
  readonly messages: readonly WrittenMessage[];
}

export interface Variant {
  /** Tells it from the others, and stays. */
  readonly key: number;
  readonly model: string;
  readonly messages: readonly WrittenMessage[];
  /** As they were written; an empty one is not sent. */
  readonly settings: Readonly<Partial<Record<SettingName, string>>>;
  readonly from: TakenFrom | undefined;
}

export interface Draft {
  readonly variants: readonly Variant[];
  /** By the name of a variable, what is filled in for it. */
  readonly values: Readonly<Record<string, string>>;
}

export const usualDraft: Draft = {
  variants: [
    {
      ...{ key: 1, model: '', settings: {}, from: undefined },
      messages: [{ role: 'user', text: '' }],
    },
  ],
  values: {},
};

/** As many as the server runs at once. */
export const mostVariants = 20;

/** What was kept; the usual draft where that cannot be read. */
export const readDraft = (text: string | null): Draft => {
  try {
    const kept = JSON.parse(text ?? '') as Draft; // as this page wrote it, or the next line refuses it
    return kept.variants.length > 0 && kept.variants.every(({ messages }) => messages.length > 0)
      ? kept
      : usualDraft;
  } catch {
    return usualDraft; // nothing was kept, or something else
  }
};

/** With one more that begins as the last one is. */
export const withVariant = ({ variants, values }: Draft): Draft => {
  const last = variants.at(-1);
  const key = Math.max(0, ...variants.map((one) => one.key)) + 1;
  return last === undefined || variants.length >= mostVariants
    ? { variants, values }
    : { variants: [...variants, { ...last, key }], values };
};

/** The names in double braces in any message of any variant. */
export const draftVariables = ({ variants }: Draft): readonly string[] =>
  variablesOf(variants.flatMap(({ messages }) => messages.map(({ text }) => text)));

/** The messages of a template: those of a chat, or one of the user. Parts that are no text are left as JSON. */
export const messagesOfTemplate = (
  template: string,
  structure: string,
): readonly WrittenMessage[] => {
  const messages = structure === 'chat' ? readMessages(template) : undefined;
  return (
    messages?.map(({ role, content }) => ({
      role,
      text: typeof content === 'string' ? content : JSON.stringify(content),
    })) ?? [{ role: 'user', text: template }]
  );
};

const faultOfNumber = (name: string): Error => new Error(`${name} is a number`);

/** The settings as numbers. Throws, in a sentence, for one that is none. */
export const numbersOf = ({ settings }: Variant): Readonly<Partial<Record<SettingName, number>>> =>
  Object.fromEntries(
    settingNames.flatMap((name) => {
      const text = (settings[name] ?? '').trim();
      if (text === '') return [];
      const value = Number(text);
      if (!Number.isFinite(value)) throw faultOfNumber(name);
      return [[name, value] as const];
    }),
  );

/** Throws, in a sentence, where a variant cannot be tried. */
export const checkVariant = ({ model, messages }: Variant): void => {
  if (model.trim() === '') throw new Error('choose a model');
  if (messages.every(({ text }) => text.trim() === '')) throw new Error('write a message');
};

/** What a model is asked once, in pieces. */
export const chatRequest = (variant: Variant, values: Draft['values']) => {
  checkVariant(variant);
  return {
    model: variant.model.trim(),
    messages: variant.messages
      .filter(({ text }) => text.trim() !== '')
      .map(({ role, text }) => ({ role, content: filled(text, values) })),
    stream: true,
    stream_options: { include_usage: true },
    ...numbersOf(variant),
  };
};

/** What is run over a dataset: the names in double braces stay, and members of items come in their place. */
export const triedPrompt = (variant: Variant, name: string) => {
  checkVariant(variant);
  const { from } = variant;
  const unchanged =
    from !== undefined && JSON.stringify(from.messages) === JSON.stringify(variant.messages);
  return {
    model: variant.model.trim(),
    messages: variant.messages
      .filter(({ text }) => text.trim() !== '')
      .map(({ role, text }) => ({ role, content: text })),
    configs: { ...numbersOf(variant) },
    ...(name === '' ? {} : { experiment_name: name }),
    ...(unchanged
      ? {
          prompt_versions: [
            {
              id: from.id,
              commit: from.commit,
              prompt_id: from.promptId,
              prompt_name: from.promptName,
            },
          ],
        }
      : {}),
  };
};

export interface ModelAnswer {
  readonly text: string;
  /** Of the whole answer, as soon as it is told. */
  readonly tokens: number | undefined;
  /** Why it ended, where that is told. */
  readonly ended: string | undefined;
}
export const noAnswer: ModelAnswer = { text: '', tokens: undefined, ended: undefined };

interface Piece {
  readonly choices?: readonly {
    readonly delta?: {
      readonly content?: string | null;
      readonly tool_calls?: readonly {
        readonly function?: { readonly name?: string; readonly arguments?: string };
      }[];
    };
    readonly finish_reason?: string | null;
  }[];
  readonly usage?: { readonly total_tokens?: number } | null;
  readonly message?: string;
  readonly code?: number;
}

/** An answer with one more piece. Throws what the model told in place of one. */
export const withPiece = (before: ModelAnswer, piece: Piece): ModelAnswer => {
  if (piece.code !== undefined && piece.message !== undefined) throw new Error(piece.message);
  const [choice] = piece.choices ?? [];
  const calls = (choice?.delta?.tool_calls ?? []).map(
    ({ function: called }) => `${called?.name ?? ''}${called?.arguments ?? ''}`,
  );
  return {
    text: before.text + (choice?.delta?.content ?? '') + calls.join(''),
    tokens: piece.usage?.total_tokens ?? before.tokens,
    ended: choice?.finish_reason ?? before.ended,
  };
};

/** Reads a stream of events that have only data: gives the pieces that a text completes. */
export const pieceReader = (): ((text: string) => readonly Piece[]) => {
  let left = '';
  return (text) => {
    const events = (left + text).split(/\r?\n\r?\n/);
    left = events.pop() ?? '';
    return events.flatMap((event) => {
      const data = event
        .split(/\r?\n/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice('data:'.length).trimStart())
        .join('\n');
      return data === '' || data === '[DONE]' ? [] : [JSON.parse(data) as Piece]; // as the row says
    });
  };
};

/** The models that a workspace can ask: those of providers for whom it has keys, and those that its own providers name. */
export const modelChoices = (
  known: Readonly<Record<string, readonly string[]>>,
  keys: readonly {
    readonly provider: string;
    readonly provider_name?: string | undefined;
    readonly configuration?: Readonly<Record<string, string>> | undefined;
  }[],
): readonly string[] => [
  ...new Set(
    keys.flatMap(({ provider, provider_name: name, configuration }) => {
      const own = (configuration?.['models'] ?? '')
        .split(',')
        .map((one) => one.trim())
        .filter((one) => one !== '');
      const prefix = [provider, ...(name === undefined ? [] : [name])].join('/');
      return [
        ...own.map((one) => (one.startsWith(`${provider}/`) ? one : `${prefix}/${one}`)),
        ...(known[provider] ?? []).map((one) =>
          provider === 'openai' || provider === 'anthropic' || provider === 'gemini'
            ? one
            : one.startsWith(`${provider}/`)
              ? one
              : `${prefix}/${one}`,
        ),
      ];
    }),
  ),
];
