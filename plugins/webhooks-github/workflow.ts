// https://docs.github.com/en/rest/actions/workflows#create-a-workflow-dispatch-event
import { Failure } from '#ports/failure';
import type { WebhookPayload } from '#ports/webhook-forms';
import { checkNames, textOption } from './options.js';

const inputsAtMost = 25;
const charactersAtMost = 65_535;
const payloadCharacters = 60_000;
const refAtMost = 255;

type Options = Readonly<Record<string, unknown>>;

/** Where an input comes from: `$` is the whole payload, `$.newValue.status` or `tags[0]` a part of it. */
const pathForm = /^(?:\$|(?:\$\.?)?(?:[A-Za-z_]\w*|\[\d+\])(?:\.[A-Za-z_]\w*|\[\d+\])*)$/;

/** Inputs by the paths that their values come from; `undefined` is the usual set. Refuses with `invalid` too many, or what is no path. */
const mappingOf = (options: Options): ReadonlyMap<string, string> | undefined => {
  const given = options['inputs'];
  if (given === undefined || given === null) return undefined;
  if (typeof given !== 'object' || Array.isArray(given))
    throw new Failure(
      'invalid',
      'githubOptions.inputs must be an object of inputs and the paths of their values',
    );
  const entries = Object.entries(given);
  if (entries.length > inputsAtMost)
    throw new Failure('invalid', `githubOptions.inputs must have at most ${inputsAtMost} members`);
  for (const [name, path] of entries) {
    if (!/^[A-Za-z_][\w-]{0,99}$/.test(name))
      throw new Failure(
        'invalid',
        `${JSON.stringify(name.slice(0, 40))} in githubOptions.inputs is not the name of an input`,
      );
    if (typeof path !== 'string' || path.length > 200 || !pathForm.test(path))
      throw new Failure(
        'invalid',
        `githubOptions.inputs.${name} must be a path like $.version or tags[0]`,
      );
  }
  return new Map(entries as readonly (readonly [string, string])[]); // each was just checked
};

export const checkWorkflowOptions = (options: Options): void => {
  checkNames(options, ['ref', 'inputs']);
  textOption(options, 'ref', refAtMost);
  mappingOf(options);
};

const read = (from: unknown, path: string): unknown =>
  (path.match(/[A-Za-z_]\w*|\[\d+\]/g) ?? []).reduce((found: unknown, step) => {
    const name = step.replaceAll(/[[\]]/g, '');
    return typeof found === 'object' && found !== null && Object.hasOwn(found, name)
      ? (found as Readonly<Record<string, unknown>>)[name]
      : undefined; // any object can be read by name
  }, from);

const textOf = (value: unknown): string =>
  value === undefined || value === null
    ? ''
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);
const cut = (text: string, most: number): string =>
  text.slice(0, Math.max(0, most)).replace(/[\ud800-\udbff]$/, '');

const usual = (payload: WebhookPayload): Readonly<Record<string, string>> => ({
  event: payload.eventType,
  workspace: payload.workspaceName,
  model: textOf(payload.registryModelName),
  version: textOf(payload.version),
  status: textOf(payload.status),
  previous_status: textOf(payload.previousStatus),
  user: textOf(payload.userName),
  url: textOf(payload.modelUrl),
  payload: cut(JSON.stringify(payload), payloadCharacters),
});

/** The same inputs, the longest cut until all of them together are short enough. */
const fitted = (inputs: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
  const over = JSON.stringify(inputs).length - charactersAtMost;
  if (over <= 0) return inputs;
  const [name = '', text = ''] = Object.entries(inputs).reduce((longest, one) =>
    JSON.stringify(one[1]).length > JSON.stringify(longest[1]).length ? one : longest,
  );
  if (text === '')
    throw new Failure(
      'invalid',
      `the inputs of a workflow must be at most ${charactersAtMost} characters`,
    );
  return fitted({ ...inputs, [name]: cut(text, text.length - Math.max(1, Math.ceil(over / 2))) }); // a character takes up to two of the escaped text, mostly
};

export const workflowBody = (payload: WebhookPayload, options: Options): string => {
  const mapping = mappingOf(options);
  const inputs =
    mapping === undefined
      ? usual(payload)
      : Object.fromEntries(
          [...mapping].map(([name, path]) => [
            name,
            cut(textOf(read(payload, path)), payloadCharacters),
          ]),
        );
  return JSON.stringify({
    ref: textOption(options, 'ref', refAtMost) ?? 'main',
    inputs: fitted(inputs),
  });
};
