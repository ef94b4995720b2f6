// What a guardrail policy may hold: whatever is stored, clients can run. Pure.
import { Failure } from '#ports/failure';
import type { Guard, GuardrailPolicy, GuardType } from '#ports/model/guardrail-policies';

type Config = Guard['config'];

const unfit = (what: string) => new Failure('unprocessable', what);

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '';
const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every(isText);
const isAbsent = (value: unknown): boolean => value === undefined || value === null;
const isShare = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value <= 1;

const says = (holds: (value: unknown) => boolean, what: string) => ({ holds, what });
const texts = says(isTexts, 'must be a list of texts');
const topics = says((value) => isAbsent(value) || isTexts(value), 'must be a list of texts');
const line = says(isText, 'must be a text');
const threshold = says(isShare, 'must be a number from 0 to 1');

/** What clients read of a check of each type. */
const members: Readonly<Record<GuardType, Readonly<Record<string, ReturnType<typeof says>>>>> = {
  PII: { blocked_entities: texts, threshold },
  TOPIC: { allowed_topics: topics, restricted_topics: topics, threshold },
  PROMPT_INJECTION: { threshold },
  CUSTOM_CLASSIFIER: { model_name: line, threshold },
  LLM_JUDGE: { instructions: line, model: line },
};

const usualThreshold = 0.5;

const readGuard = ({ type, config }: Guard, place: number): Guard => {
  const known = members[type];
  const at = `guards[${place}].config`;
  const unknown = Object.keys(config).find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined) throw unfit(`${at} must not have ${unknown.slice(0, 100)}`);
  const filled: Config =
    'threshold' in known && isAbsent(config['threshold'])
      ? { ...config, threshold: usualThreshold }
      : config;
  for (const [name, { holds, what }] of Object.entries(known))
    if (!holds(filled[name])) throw unfit(`${at}.${name} ${what}`);
  if (
    type === 'TOPIC' &&
    isAbsent(filled['allowed_topics']) &&
    isAbsent(filled['restricted_topics'])
  )
    throw unfit(`${at} must have allowed_topics or restricted_topics`);
  return { type, config: filled };
};

/** The checks of a policy. Rejects with `unprocessable` for what clients could not run: a check without what it needs, or two judges, whose results go by the name of the policy. */
export const readGuards = (sent: readonly Guard[]): readonly Guard[] => {
  if (sent.length === 0) throw unfit('guards must not be empty');
  if (sent.filter(({ type }) => type === 'LLM_JUDGE').length > 1)
    throw unfit('a policy must have at most one guard of the type LLM_JUDGE');
  return sent.map(readGuard);
};

/** Those of these names and those that are always applied. Rejects with `absent` for a name that there is not: a check that is asked for never goes missing in silence. */
export const policiesFor = (
  stored: readonly GuardrailPolicy[],
  names: readonly string[],
): readonly GuardrailPolicy[] => {
  const asked = new Set(names);
  for (const name of asked)
    if (!stored.some((one) => one.name === name))
      throw new Failure('absent', `guardrail policy ${name.slice(0, 150)} not found`);
  return stored.filter(({ name, executionMode }) => executionMode === 'ALWAYS' || asked.has(name));
};
