import { Failure } from '#ports/failure';

type Options = Readonly<Record<string, unknown>>;

/** A text among the options; `undefined` when it is left out. Refuses with `invalid` what is no text, or an empty or overlong one. */
export const textOption = (options: Options, name: string, most: number): string | undefined => {
  const value = options[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' || value === '' || value.length > most)
    throw new Failure('invalid', `githubOptions.${name} must be a text of 1 to ${most} characters`);
  return value;
};

/** Refuses with `invalid` an option that this kind of dispatch does not have. */
export const checkNames = (options: Options, known: readonly string[]): void => {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new Failure(
      'invalid',
      `githubOptions.${unknown.slice(0, 40)} is not known here; known are ${known.join(', ')}`,
    );
};
