// Putting text that somebody typed into names and filters of a directory, where it can mean nothing but itself. Pure.

const escapeAs = (character: string): string =>
  [...Buffer.from(character)].map((byte) => `\\${byte.toString(16).padStart(2, '0')}`).join('');

/** A value within a filter (RFC 4515, 3). */
export const inFilter = (value: string): string => value.replaceAll(/[\\*()\u0000]/g, escapeAs);

/** A value within a distinguished name (RFC 4514, 2.4). */
export const inName = (value: string): string =>
  value.replaceAll(/[\\",+<>;=#\u0000-\u001f]|^ | $/g, escapeAs);

/** A template with its places `{word}` filled. */
export const filled = (
  template: string,
  values: Readonly<Record<string, string>>,
  escape: (value: string) => string,
): string =>
  template.replaceAll(/\{(\w+)\}/g, (place, word: string) =>
    Object.hasOwn(values, word) ? escape(values[word] ?? '') : place,
  );
