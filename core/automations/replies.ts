// The form in which a judge is asked to answer, and what its answer says. Pure.
import type { JudgeOutput, JudgeOutputType } from '#ports/model/automations';
import { parseJson } from '../json-text.js';
import type { GivenScore } from './storing.js';

const jsonTypes: Readonly<Record<JudgeOutputType, string>> = {
  BOOLEAN: 'boolean',
  INTEGER: 'integer',
  DOUBLE: 'number',
};

const closed = (properties: Readonly<Record<string, unknown>>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

/** Asks for an object with a member for each score, which has the score and its reason. */
export const responseFormat = (outputs: readonly JudgeOutput[]) => ({
  type: 'json_schema',
  json_schema: {
    name: 'scores',
    strict: true,
    schema: closed(
      Object.fromEntries(
        outputs.map(({ name, type, description }) => [
          name,
          {
            ...closed({ score: { type: jsonTypes[type] }, reason: { type: 'string' } }),
            description,
          },
        ]),
      ),
    ),
  },
});

const longestReason = 10_000;
/** As great as scores may be. */
export const mostValue = 1e9;

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name] // it has a member of that name
    : undefined;

/** The scores that an answer gives of those that were asked for; none where it is no JSON object, and none of a member without a score. */
export const readReply = (
  answer: string,
  outputs: readonly Pick<JudgeOutput, 'name'>[],
): readonly GivenScore[] => {
  const parsed = parseJson(answer);
  return outputs.flatMap(({ name }) => {
    const member = memberOf(parsed, name);
    const [score, reason] = [memberOf(member, 'score'), memberOf(member, 'reason')];
    const value = typeof score === 'boolean' ? Number(score) : score;
    if (typeof value !== 'number' || !(Math.abs(value) < mostValue)) return [];
    return [
      {
        name,
        value,
        reason: typeof reason === 'string' ? reason.slice(0, longestReason) : undefined,
      },
    ];
  });
};
