// Templates of prompts: messages, variables, and what is written into forms. Pure.

/** A message as it stands in the template of a chat prompt, and as a model is given it. */
export interface PromptMessage {
  readonly role: string;
  readonly content: unknown;
}

const isMessage = (value: unknown): value is PromptMessage =>
  typeof value === 'object' &&
  value !== null &&
  'role' in value &&
  typeof value.role === 'string' &&
  'content' in value;

/** The messages of a chat prompt; nothing where the text is no list of them. */
export const readMessages = (template: string): readonly PromptMessage[] | undefined => {
  try {
    const value: unknown = JSON.parse(template);
    return Array.isArray(value) && value.length > 0 && value.every(isMessage)
      ? value.map(({ role, content }) => ({ role, content }))
      : undefined;
  } catch {
    return undefined; // a text, then
  }
};

/** A template as it is stored. Throws, in a sentence, where it does not fit the structure of its prompt. */
export const checkTemplate = (template: string, structure: string): string => {
  if (template.trim() === '') throw new Error('a prompt has a text');
  if (structure === 'chat' && readMessages(template) === undefined)
    throw new Error(
      'a chat prompt is a JSON list of messages, such as [{"role": "user", "content": "…"}]',
    );
  return template;
};

/** A template as people read and compare it: messages below each other, whatever their JSON looks like. */
export const shownTemplate = (template: string, structure: string): string => {
  const messages = structure === 'chat' ? readMessages(template) : undefined;
  return messages === undefined
    ? template
    : messages
        .map(
          ({ role, content }) =>
            `${role}:\n${typeof content === 'string' ? content : JSON.stringify(content, null, 2)}`,
        )
        .join('\n\n');
};

/** What a template is edited as: JSON with indents for messages. */
export const editedTemplate = (template: string, structure: string): string => {
  const messages = structure === 'chat' ? readMessages(template) : undefined;
  return messages === undefined ? template : JSON.stringify(messages, null, 2);
};

const placeholder = /\{\{([^{}]{1,200})\}\}/g;

/** The names in double braces, each once, in the order in which they come. */
export const variablesOf = (texts: readonly string[]): readonly string[] => [
  ...new Set(
    texts.flatMap((text) =>
      [...text.matchAll(placeholder)]
        .map(([, name = '']) => name.trim())
        .filter((name) => name !== ''),
    ),
  ),
];

/** A text with values in place of names in double braces; a name without a value stays as it is. */
export const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(placeholder, (whole, name: string) =>
    Object.hasOwn(values, name.trim()) ? (values[name.trim()] ?? whole) : whole,
  );
