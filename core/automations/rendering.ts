// Puts what was logged into the messages of a judge. Pure.
import type { ChatMessage } from '#ports/chat-model';
import type { JudgeContent, JudgeMessage, JudgeRole } from '#ports/model/automations';
import { parseJson } from '../json-text.js';
import { fillWith, placeholder, textOf } from '../placeholders.js';
import { stepsOf, valueAlong } from '../private-wire/json-path.js';

/** What a path may lead into, each as JSON text; `undefined` for what was not logged. */
export interface Sections {
  readonly input: string | undefined;
  readonly output: string | undefined;
  readonly metadata: string | undefined;
}

/** A value is cut there, and all of them together may be so long. */
const [mostOfValue, mostOfAll] = [200_000, 1_000_000];

const sectionPath = /^(input|output|metadata)(?:$|\.|(?=\[))/;

/** The value of a path, `undefined` where there is none: `input`, `output` or `metadata`, or a place within one of them; anything else stands for itself. */
const valueAt = (
  path: string,
  sections: Sections,
  parsed: (section: keyof Sections) => unknown,
): unknown => {
  const [head, name] = sectionPath.exec(path) ?? [];
  if (head === undefined) return path;
  const section = name as keyof Sections; // one of the three of the expression
  const whole = parsed(section);
  // What was too long to be read to its end is no JSON any more.
  if (path === section) return whole === undefined ? sections[section] : whole;
  const steps = stepsOf(path.slice(head.length));
  return steps === undefined ? undefined : valueAlong(whole, steps);
};

/** Names with what their paths lead to; those that lead nowhere are left out. */
const entriesOf = (
  paths: Readonly<Record<string, string>>,
  sections: Sections,
  spans: unknown,
): readonly (readonly [string, unknown])[] => {
  const known = new Map<string, unknown>();
  const parsed = (section: keyof Sections): unknown => {
    const text = sections[section];
    if (!known.has(section)) known.set(section, text === undefined ? undefined : parseJson(text));
    return known.get(section);
  };
  return Object.entries(paths).flatMap(([name, sent]) => {
    const path = sent.trim();
    const value =
      isOfSpans([name, sent]) && spans !== undefined ? spans : valueAt(path, sections, parsed);
    return value === undefined ? [] : [[name.trim(), value] as const];
  });
};

/** One that is called `spans` is the spans of the trace, unless its path leads into a section. */
const isOfSpans = ([name, path]: readonly [string, string]): boolean =>
  name === 'spans' && !sectionPath.test(path.trim());

/** Whether the spans of a trace are among what a program is called with. */
export const asksForSpans = (paths: Readonly<Record<string, string>>): boolean =>
  Object.entries(paths).some(isOfSpans);

/** The values of variables by their names. One that is called `spans` is the spans of the trace, given as JSON text, unless its path leads into a section. */
export const valuesOf = (
  variables: Readonly<Record<string, string>>,
  sections: Sections,
  spans: string | undefined,
): ReadonlyMap<string, string> =>
  new Map(
    entriesOf(variables, sections, spans).flatMap(([name, found]) => {
      const value = textOf(found);
      return value === undefined ? [] : [[name, value.slice(0, mostOfValue)] as const];
    }),
  );

/** What a program is called with: JSON values by the names of its parameters. Those whose paths lead nowhere are left out, so that defaults stand for them. */
export const argumentsOf = (
  paths: Readonly<Record<string, string>>,
  sections: Sections,
  spans: readonly object[] | undefined,
): Readonly<Record<string, unknown>> => Object.fromEntries(entriesOf(paths, sections, spans));

/** Whether some message asks for a value of this name. */
export const asksFor = (messages: readonly JudgeMessage[], name: string): boolean =>
  messages.some((message) =>
    [...JSON.stringify(message).matchAll(placeholder)].some(
      ([, asked = '']) => asked.trim() === name,
    ),
  );

const roles: Readonly<Record<JudgeRole, string>> = {
  SYSTEM: 'system',
  USER: 'user',
  AI: 'assistant',
  // Neither comes with the call that a model wants to see before it.
  TOOL_EXECUTION_RESULT: 'user',
  CUSTOM: 'user',
};

/**
 * Messages as models take them, with values in the place of `{{name}}`; a placeholder without a value stays, and values are not looked through for
 * placeholders. Rejects with `tooLarge` where all of it is too long.
 */
export const renderMessages = (
  messages: readonly JudgeMessage[],
  values: ReadonlyMap<string, string>,
): readonly ChatMessage[] => {
  const render = fillWith(
    (name) => values.get(name),
    mostOfAll,
    `the messages have more than ${mostOfAll} characters of what was logged`,
  );
  const renderUrl = <U extends { readonly url: string }>(one: U): U => ({
    ...one,
    url: render(one.url),
  });
  const renderPart = ({ text, image_url, video_url, audio_url, type }: JudgeContent) => ({
    type,
    ...(text === undefined ? {} : { text: render(text) }),
    ...(image_url === undefined ? {} : { image_url: renderUrl(image_url) }),
    ...(video_url === undefined ? {} : { video_url: renderUrl(video_url) }),
    ...(audio_url === undefined ? {} : { audio_url: renderUrl(audio_url) }),
  });
  return messages.map(({ role, content, content_array: parts }) => ({
    role: roles[role],
    content: content === undefined ? (parts ?? []).map(renderPart) : render(content),
  }));
};
