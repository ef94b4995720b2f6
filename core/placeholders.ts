// `{{name}}` in texts that people write, and what is put in its place. Pure.
import { Failure } from '#ports/failure';

export const placeholder = /\{\{([^{}]{1,200})\}\}/g;

/** A value as it is put into a text: texts as they are, others as JSON; nothing of null. */
export const textOf = (value: unknown): string | undefined =>
  value === undefined || value === null
    ? undefined
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);

/**
 * Makes what puts values into texts. A placeholder without a value stays, and values are not looked through for placeholders. Rejects with `tooLarge`,
 * and this sentence, once the values have more than so many characters in all texts together.
 */
export const fillWith = (
  valueOf: (name: string) => string | undefined,
  most: number,
  sentence: string,
): ((text: string) => string) => {
  let left = most;
  return (text) =>
    text.replaceAll(placeholder, (whole, name: string) => {
      const value = valueOf(name.trim());
      left -= value?.length ?? 0;
      if (left < 0) throw new Failure('tooLarge', sentence);
      return value ?? whole;
    });
};
